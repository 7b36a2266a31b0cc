//! Windows: exposed memory, its image that others access, epochs.

pub(crate) mod access;
pub(crate) mod addresses;
pub(crate) mod image;
pub(crate) mod window;
