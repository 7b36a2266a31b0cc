//! What a processor takes: cycles per class of instruction and per resource, and how lines and execution overlap.
//!
//! It must not know loops or counts. Throughput is a maximum over resources, as ResMII (Rau, MICRO 1994); in-core time
//! and transfers combine as in the execution-cache-memory model (Stengel, Treibig, Hager and Wellein, ICS 2015;
//! Kerncraft: Hammer, Eitzinger, Hager and Wellein 2017).

pub mod costs;
pub mod demand;
pub mod instructions;
pub mod traffic;
