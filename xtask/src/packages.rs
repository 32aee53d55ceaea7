//! The Debian packages that tests run against, and how they get here.

use anyhow::{Result, bail};
use std::process::Command;

/// A program that a test runs, and the Debian package that brings it.
const NEEDED: &[(&str, &str, &str)] = &[
    ("tshark", "tshark", "decodes what Weir writes, in the wire and pcap tests"),
    ("script", "bsdutils", "a terminal for the tests of the command line"),
    ("cc", "gcc", "links Rust programs"),
];

/// Make sure that every program of [`NEEDED`] is here: install as root, or say what is missing.
pub fn ensure() -> Result<()> {
    let missing: Vec<_> = NEEDED.iter().filter(|(program, _, _)| !on_path(program)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages: Vec<&str> = missing.iter().map(|(_, package, _)| *package).collect();
    let by_hand = format!("apt-get install -y --no-install-recommends {}", packages.join(" "));
    if !on_path("apt-get") || !is_root() {
        let why: Vec<String> = missing
            .iter()
            .map(|(program, package, why)| format!("  {program} (package {package}): {why}"))
            .collect();
        bail!(
            "the tests need programs that are not here and can't be installed without root and apt-get:\n{}\nas root: {by_hand}",
            why.join("\n")
        );
    }
    eprintln!("xtask: installing {}", packages.join(" "));
    let apt = |args: &[&str]| {
        Command::new("apt-get")
            .env("DEBIAN_FRONTEND", "noninteractive")
            .args(args)
            .stdout(std::process::Stdio::null())
            .status()
    };
    apt(&["update", "-q"])?;
    let mut args = vec!["install", "-y", "-q", "--no-install-recommends"];
    args.extend(&packages);
    if !apt(&args)?.success() {
        bail!("installing failed; by hand: {by_hand}");
    }
    Ok(())
}

fn on_path(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|out| out.stdout.trim_ascii() == b"0")
}
