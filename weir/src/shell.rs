//! What a shell and `man` want to know: completion scripts and manual pages.

use crate::args::Args;
use crate::exit::{Exit, Failure};
use crate::{files, screen};
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use std::path::{Path, PathBuf};

/// `weir completion`.
pub fn completion(shell: Shell) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "weir", &mut script);
    files::print_bytes(&script)?;
    Ok(Exit::Fine)
}

/// `weir man`.
pub fn man(out: &Path) -> Result<Exit, Failure> {
    let _folder = files::Folder::make(out)?;
    let mut command = Args::command().disable_help_subcommand(true);
    command.build();
    let mut pages: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    collect(&command, out, &mut pages)?;
    files::write_all(&pages)?;
    screen::say(format_args!("{} manual pages in {}", pages.len(), out.display()));
    Ok(Exit::Fine)
}

fn collect(command: &Command, out: &Path, pages: &mut Vec<(PathBuf, Vec<u8>)>) -> Result<(), Failure> {
    // The page has no date: the same program always writes the same pages.
    let page = clap_mangen::Man::new(command.clone())
        .manual("Weir")
        .source(concat!("weir ", env!("CARGO_PKG_VERSION")));
    let path = out.join(page.get_filename());
    let mut text = Vec::new();
    page.render(&mut text).map_err(|error| Failure::io("write", &path, error))?;
    pages.push((path, text));
    let below = command.get_subcommands().filter(|sub| !sub.is_hide_set());
    below.into_iter().try_for_each(|sub| collect(sub, out, pages))
}
