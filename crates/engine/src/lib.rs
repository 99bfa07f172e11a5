//! Task file to plan to criterion runs to task run.
