//! A program with JSON of its own that has nothing to do with Candor: its tests say whether depending on Candor changes it.
