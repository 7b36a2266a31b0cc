//! Files: what they hold, how tasks see them, which tasks have open.

pub(crate) mod access;
pub(crate) mod content;
pub(crate) mod open_file;
pub(crate) mod view;
