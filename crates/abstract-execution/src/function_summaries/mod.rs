pub(crate) mod calls;
pub(crate) mod inputs;
pub(crate) mod summarise;
pub(crate) mod translation;
