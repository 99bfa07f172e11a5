//! HL7 v2 messages in ER7 form: bytes to a borrowed tree with spans, and paths over it.
