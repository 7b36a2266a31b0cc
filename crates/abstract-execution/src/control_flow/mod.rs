pub(crate) mod blocks;
pub(crate) mod branches;
pub(crate) mod stated;
