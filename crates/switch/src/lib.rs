//! A lossless shared-buffer switch as a sans-IO state machine: PFC, ECN, scheduling, ECMP, watchdog.
