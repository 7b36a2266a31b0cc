//! The queue of future events of the simulation.
//!
//! A calendar queue (Brown: Calendar queues, CACM 31(10), 1988): time is cut into buckets, what is far away waits in
//! a heap as the overflow list of a ladder queue does (Tang, Goh, Thng: Ladder queue, ACM TOMACS 15(3), 2005). The
//! length of a bucket is the lookahead of conservative parallel simulation (Chandy, Misra, 1979; Fujimoto: Parallel
//! discrete event simulation, CACM 33(10), 1990): within one latency ports do not influence each other, so each may
//! be simulated by itself. This folder must not know what an event does.

pub mod queue;
