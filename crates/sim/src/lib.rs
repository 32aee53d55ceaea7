//! The simulator: event engine, hosts, links, faults, probes and results.

pub mod hpcc;
pub mod results;
pub mod wheel;
