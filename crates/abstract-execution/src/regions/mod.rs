pub(crate) mod closed_forms;
pub(crate) mod effects;
pub(crate) mod exits;
pub(crate) mod memo;
