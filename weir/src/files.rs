//! Reading inputs, writing outputs whole or not at all, printing.

use crate::exit::Failure;
use std::fs::{File, Metadata};
use std::io::{BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// The text of an input file, or of standard input for `-`.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes).map_err(|e| Failure::io("read", path, e))?;
    String::from_utf8(bytes).map_err(|error| {
        let bytes = error.as_bytes();
        let at = error.utf8_error().valid_up_to();
        let line = bytes[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        Failure::input(
            format!(
                "{}:{line}: this is not a text file: byte {at} (0x{:02x}) is not UTF-8",
                path.display(),
                bytes[at]
            ),
            "give a text file in UTF-8; is it compressed, or another file than the one you meant?",
        )
    })
}

/// A path, or standard input for `-`.
pub fn open(path: &Path) -> Result<Box<dyn Read>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let file = File::open(path).map_err(|e| Failure::io("read", path, e))?;
    if file.metadata().is_ok_and(|meta| meta.is_dir()) {
        return Err(Failure::io("read", path, ErrorKind::IsADirectory.into()));
    }
    Ok(Box::new(std::io::BufReader::with_capacity(1 << 20, file)))
}

/// A file that takes its place when it is complete: until [`Part::keep`], what stood there before is still there, and
/// if that never comes nothing is left. A device or pipe has no place to take and is written directly.
#[derive(Debug)]
pub struct Part {
    path: PathBuf,
    temporary: Option<PathBuf>,
    file: Option<BufWriter<File>>,
}

impl Part {
    /// Begins a file; fails at once where it could not be written in the end.
    pub fn begin(path: &Path) -> Result<Self, Failure> {
        let failed = |error| Failure::io("write", path, error);
        // Through a link, so that the link stays one.
        let path = if path.is_symlink() { path.canonicalize().map_err(failed)? } else { path.to_owned() };
        let before = std::fs::metadata(&path).ok();
        let Some(name) = path.file_name().filter(|_| !before.as_ref().is_some_and(Metadata::is_dir)) else {
            return Err(failed(ErrorKind::IsADirectory.into()));
        };
        let (temporary, file) = if before.as_ref().is_none_or(Metadata::is_file) {
            let mut hidden = std::ffi::OsString::from(".");
            hidden.push(name);
            hidden.push(format!(".{}.part", std::process::id()));
            let temporary = path.with_file_name(hidden);
            let file = File::create(&temporary).map_err(failed)?;
            if let Some(before) = &before {
                // Who may read it does not change.
                let _ = file.set_permissions(before.permissions());
            }
            (Some(temporary), file)
        } else {
            (None, File::options().write(true).open(&path).map_err(failed)?)
        };
        Ok(Self { path, temporary, file: Some(BufWriter::with_capacity(1 << 16, file)) })
    }

    /// Puts the file in its place.
    pub fn keep(mut self) -> Result<(), Failure> {
        let Some(file) = self.file.take() else { return Ok(()) };
        let complete = file.into_inner().map_err(std::io::IntoInnerError::into_error).and_then(|file| {
            let Some(temporary) = &self.temporary else { return Ok(()) };
            file.sync_all()?;
            std::fs::rename(temporary, &self.path)
        });
        complete.map_err(|error| Failure::io("write", &self.path, error))
    }
}

impl Write for Part {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match &mut self.file {
            Some(file) => file.write(bytes),
            None => Err(ErrorKind::NotFound.into()),
        }
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // After `keep` it is not there any more.
            let _ = std::fs::remove_file(temporary);
        }
    }
}

/// Writes a file whole: a reader never sees a part.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut part = Part::begin(path)?;
    part.write_all(bytes).map_err(|error| Failure::io("write", path, error))?;
    part.keep()
}

/// Writes several files: all are complete before the first takes its place.
pub fn write_all(files: &[(PathBuf, Vec<u8>)]) -> Result<(), Failure> {
    let mut parts = Vec::new();
    for (path, bytes) in files {
        let mut part = Part::begin(path)?;
        part.write_all(bytes)
            .and_then(|()| part.flush())
            .map_err(|error| Failure::io("write", path, error))?;
        parts.push(part);
    }
    parts.into_iter().try_for_each(Part::keep)
}

/// A folder for files to come. If none has come in the end, it goes again where it was not there before.
#[derive(Debug)]
pub struct Folder {
    made: Vec<PathBuf>,
}

impl Folder {
    /// Makes a folder, and finds out whether files can be written there: better now than after an hour of work.
    pub fn make(path: &Path) -> Result<Self, Failure> {
        let parents = path.ancestors().take_while(|part| !part.as_os_str().is_empty() && !part.exists());
        let folder = Self { made: parents.map(Path::to_path_buf).collect() };
        std::fs::create_dir_all(path).map_err(|error| Failure::io("make the folder", path, error))?;
        Part::begin(&path.join("weir"))?;
        Ok(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        for folder in &self.made {
            // Only an empty folder can be removed.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// Prints text to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

/// Prints bytes to standard output.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .map_err(|error| Failure::io("write to", Path::new("standard output"), error))
}

/// A value as JSON with a line end.
pub fn json(value: &impl serde::Serialize) -> Result<String, Failure> {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::System(format!("error: can't write JSON: {error}")))?;
    text.push('\n');
    Ok(text)
}

/// Refuses to overwrite an input.
pub fn not_the_input(output: &Path, input: &Path) -> Result<(), Failure> {
    match (output.canonicalize(), input.canonicalize()) {
        (Ok(a), Ok(b)) if a == b && a.is_file() => Err(Failure::input(
            format!("{} is what is read, and would be overwritten", output.display()),
            "name another file for the output",
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.json");
        std::fs::write(&path, "before").unwrap();
        let mut part = Part::begin(&path).unwrap();
        part.write_all(b"half").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "before");
        drop(part);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing left behind");
        write_whole(&path, b"after").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "after");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn of_several_files_none_is_there_if_one_fails() {
        let folder = tempfile::tempdir().unwrap();
        let good = folder.path().join("a");
        let bad = folder.path().join("missing").join("b");
        assert!(write_all(&[(good.clone(), b"x".to_vec()), (bad, b"y".to_vec())]).is_err());
        assert!(!good.exists());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn links_stay_links_and_rights_stay_rights() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        std::fs::write(&real, "before").unwrap();
        std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        write_whole(&link, b"after").unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read_to_string(&real).unwrap(), "after");
        assert_eq!(std::fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn a_device_stays_a_device() {
        write_whole(Path::new("/dev/null"), b"x").unwrap();
        assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
        let full = write_whole(Path::new("/dev/full"), b"x").unwrap_err();
        assert!(full.message().unwrap().contains("no space left"), "{full:?}");
    }

    #[test]
    fn an_empty_folder_goes_again() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("a/b");
        drop(Folder::make(&path).unwrap());
        assert!(!base.path().join("a").exists());
        let folder = Folder::make(&path).unwrap();
        std::fs::write(path.join("x"), "x").unwrap();
        drop(folder);
        assert!(path.join("x").exists());
    }

    #[test]
    fn the_input_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        std::fs::write(&path, "x").unwrap();
        assert!(not_the_input(&folder.path().join("./a.toml"), &path).is_err());
        assert!(not_the_input(&folder.path().join("b.toml"), &path).is_ok());
    }
}
