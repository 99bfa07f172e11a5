//! Tests of modules that the library keeps to itself.

mod answer;
mod gaps;
mod grams;
mod judge_server;
mod marks;
mod question;
mod sound;
mod tables;
mod words;
