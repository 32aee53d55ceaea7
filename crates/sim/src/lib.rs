//! The simulator: event engine, hosts, links, faults, probes and results.

pub mod hpcc;
pub mod net;
pub mod results;
pub mod seeded;
pub mod wheel;
