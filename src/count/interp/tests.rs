//! Programs as C text, evaluated.
