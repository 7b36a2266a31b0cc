//! The front end on small files.
