//! What every check is tested with: the contract suite and the conformance-vector runner.
