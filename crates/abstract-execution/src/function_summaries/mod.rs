pub(crate) mod calls;
pub(crate) mod inputs;
pub(crate) mod summarise;
pub(crate) mod translation;

#[cfg(any(test, feature = "testing"))]
pub use summarise::observed;
