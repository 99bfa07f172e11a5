//! The tests that start processes of Candor, or change this one, in one program.

mod async_manners;
mod attacks;
mod bench;
mod cli;
mod command_line;
mod install;
mod loop_charged;
mod loop_record;
mod loop_still;
mod no_disk;
mod proxies;
mod verify_loop;
