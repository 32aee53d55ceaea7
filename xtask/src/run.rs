//! Running cargo over the workspace.

use anyhow::{Context, Result, bail};
use std::process::Command;

/// Format check, lints, every test.
pub fn full() -> Result<()> {
    cargo(&["fmt", "--all", "--check"])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])?;
    tests()
}

/// Every test of the workspace, documentation examples included.
pub fn tests() -> Result<()> {
    cargo(&["test", "--workspace", "--no-fail-fast"])
}

fn cargo(args: &[&str]) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(args)
        .status()
        .with_context(|| format!("running cargo {}", args.join(" ")))?;
    if !status.success() {
        bail!("cargo {} failed", args.join(" "));
    }
    Ok(())
}
