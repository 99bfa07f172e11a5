//! The integration tests of this crate, in one program. It compiles again the modules that are tested by themselves.

mod asr_pairs;
mod canonical;
mod conformance;
mod explain;
mod held_back;
mod judged;
mod matching;
mod normalize;
mod review;
mod transcript;
mod tried;
mod units;
mod version;
mod vocabulary;

#[path = "../../src/semantic/answer.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod answer;
#[path = "../../src/transcript/gaps.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod gaps;
#[path = "../../src/normalize/grams.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod grams;
#[path = "../../src/semantic/judge_server.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod judge_server;
#[path = "../../src/marks.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod marks;
#[path = "../../src/semantic/question.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod question;
#[path = "../../src/matching/sound.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod sound;
#[path = "../../src/tables.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod tables;
#[path = "../../src/words.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod words;
