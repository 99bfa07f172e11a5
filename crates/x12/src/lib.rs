//! X12 interchanges: bytes to borrowed segments with spans, and paths over them.
