//! Activities from traces that are written by hand.
