pub(crate) mod branches;
pub(crate) mod exits;
pub(crate) mod stated;
