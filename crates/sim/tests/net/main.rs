//! The own mode against theory, accounts and itself.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod basics;
mod setup;
