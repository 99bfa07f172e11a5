//! Asserts what HL7 v2 messages say.
