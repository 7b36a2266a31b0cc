//! TODO

pub mod cost;
pub mod fair_share;
pub mod flows;
pub mod one_sided;
pub mod ports;
pub mod traffic;
