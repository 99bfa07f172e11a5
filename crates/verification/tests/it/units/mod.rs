//! Tests of single modules.

mod answer;
mod artifact;
mod disclosure;
mod evaluator;
mod folder_state;
mod front_matter;
mod grants;
mod guard;
mod lines;
mod naming;
mod program;
mod proposed;
mod protection;
mod protocol;
mod read;
mod ready;
mod room;
mod seal;
mod snapshot;
mod status;
mod system;
mod task_loop;
mod template;
mod verdict;
