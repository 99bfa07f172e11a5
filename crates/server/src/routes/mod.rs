//! The routes, by what they are about, and the table of all of them.

mod assets;
mod definitions;
mod grade;
mod health;
mod list;
mod login;
mod nemo;
mod records;
mod runs;
mod sandboxes;
pub(crate) mod table;
mod views;
