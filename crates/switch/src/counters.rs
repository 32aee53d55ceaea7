//! Counters, named as SONiC names them.
