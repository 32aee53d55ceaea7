//! Reading inputs, writing outputs whole or not at all, printing.

use crate::exit::Failure;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The text of an input file.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    let bytes = std::fs::read(path).map_err(|e| Failure::io("read", path, e))?;
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        Failure::Input(format!("error: {} is not a text file: byte {at} is not UTF-8", path.display()))
    })
}

/// Writes a file through a neighbour of it, so that a reader never sees a part.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let name = path
        .file_name()
        .ok_or_else(|| Failure::Input(format!("error: {} names no file to write", path.display())))?;
    let mut temporary = name.to_owned();
    temporary.push(format!(".{}.part", std::process::id()));
    let temporary: PathBuf = path.with_file_name(temporary);
    let written = std::fs::File::create(&temporary)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&temporary, path));
    written.map_err(|error| {
        let _ = std::fs::remove_file(&temporary);
        Failure::io("write", path, error)
    })
}

/// Prints text to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

/// Prints bytes to standard output.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::BrokenPipe,
        _ => Failure::System(format!("error: can't write to standard output: {error}")),
    })
}

/// A value as JSON with a line end.
pub fn json(value: &impl serde::Serialize) -> Result<String, Failure> {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::System(format!("error: can't write JSON: {error}")))?;
    text.push('\n');
    Ok(text)
}

/// A path, or standard input for `-`.
pub fn open(path: &Path) -> Result<Box<dyn std::io::Read>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(std::io::stdin()));
    }
    let file = std::fs::File::open(path).map_err(|e| Failure::io("read", path, e))?;
    if file.metadata().is_ok_and(|meta| meta.is_dir()) {
        return Err(Failure::Input(format!("error: {} is a folder, not a file", path.display())));
    }
    Ok(Box::new(std::io::BufReader::with_capacity(1 << 20, file)))
}
