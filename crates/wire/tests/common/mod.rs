//! What several of the tests need.

#![allow(dead_code, reason = "each test file uses a part")]

use std::path::PathBuf;

/// Where a fixture is.
pub fn fixture_path(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../../fixtures", name].iter().collect()
}

/// A fixture's bytes.
pub fn fixture(name: &str) -> Vec<u8> {
    let path = fixture_path(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
