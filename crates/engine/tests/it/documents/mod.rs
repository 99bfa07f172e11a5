//! Documents: values, the places of their members, and changes.

mod edit;
mod json;
mod value;
mod yaml;
