//! RC, UC and UD queue pairs as sans-IO state machines.
