//! The files that pages are shown with.

/// The one stylesheet.
pub const STYLE: &str = include_str!("style.css");
/// The one script, for comfort: every page works without it.
pub const SCRIPT: &str = include_str!("script.js");
