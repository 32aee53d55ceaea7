//! The files that a run writes, in the reference's formats.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::config::Config;
use super::error::{HpccError, Step};
use super::hash::FiveTuple;

/// One output: its path, the key that names it, and its writer.
#[derive(Debug)]
pub(crate) struct Output {
    path: PathBuf,
    key: &'static str,
    writer: BufWriter<File>,
}

impl Output {
    fn fail(&self, source: io::Error) -> HpccError {
        HpccError::Write { path: self.path.clone(), key: self.key, source }
    }

    /// Writes a line.
    pub fn line(&mut self, line: std::fmt::Arguments<'_>) -> Step {
        writeln!(self.writer, "{line}").map_err(|source| Box::new(self.fail(source)))
    }

    fn finish(mut self) -> Step {
        self.writer.flush().map_err(|source| Box::new(self.fail(source)))
    }
}

/// All outputs of a run.
#[derive(Debug)]
pub(crate) struct Outputs {
    pub fct: Output,
    pub pfc: Output,
    pub histogram: Option<Output>,
    pub queue_series: Option<Output>,
    pub rate_series: Option<Output>,
    /// What to tell the user.
    pub notices: Vec<String>,
}

impl Outputs {
    /// Creates the outputs that `config` names, with the folders they lie in. Everything is opened before
    /// anything is emptied, and what was newly made is removed again if one cannot be opened. No output may be
    /// one of the `inputs` or another output.
    pub(crate) fn create(config: &Config, base: &Path, inputs: &[&Path]) -> Result<Self, HpccError> {
        let mut wanted: Vec<(&'static str, &Path)> =
            vec![("FCT_OUTPUT_FILE", &config.fct), ("PFC_OUTPUT_FILE", &config.pfc)];
        wanted.extend(config.queue_file.as_deref().map(|path| ("QLEN_MON_FILE", path)));
        wanted.extend(config.queue_series.as_ref().map(|series| ("QLEN_TS", series.file.as_path())));
        wanted.extend(config.rate_series.as_ref().map(|series| ("RATE_TS", series.file.as_path())));
        refuse_overlap(config, base, &wanted, inputs)?;
        let mut made = Made::default();
        let mut opened = Vec::new();
        for (key, path) in wanted {
            match made.open(&base.join(path)) {
                Ok(file) => {
                    let writer = BufWriter::with_capacity(1 << 16, file);
                    opened.push(Output { path: path.into(), key, writer });
                }
                Err(source) => {
                    drop(opened);
                    made.undo();
                    return Err(HpccError::Write { path: path.into(), key, source });
                }
            }
        }
        for output in &opened {
            let file = output.writer.get_ref();
            // A device or pipe cannot be cut to nothing, and need not be.
            if file.metadata().is_ok_and(|data| data.is_file()) {
                file.set_len(0).map_err(|source| output.fail(source))?;
            }
        }
        let as_written = |folder: &'_ Path| folder.strip_prefix(base).unwrap_or(folder).display().to_string();
        let notices = made.folders.iter().map(|folder| format!("made the folder {}", as_written(folder)));
        let notices = notices.collect();
        let mut take = |key| {
            let at = opened.iter().position(|output: &Output| output.key == key)?;
            Some(opened.swap_remove(at))
        };
        let (Some(fct), Some(pfc)) = (take("FCT_OUTPUT_FILE"), take("PFC_OUTPUT_FILE")) else {
            // Both were asked for above.
            return Err(HpccError::Write {
                path: config.fct.clone(),
                key: "FCT_OUTPUT_FILE",
                source: io::ErrorKind::NotFound.into(),
            });
        };
        Ok(Outputs {
            fct,
            pfc,
            histogram: take("QLEN_MON_FILE"),
            queue_series: take("QLEN_TS"),
            rate_series: take("RATE_TS"),
            notices,
        })
    }

    /// A flow is complete: addresses, ports, bytes, start, duration and ideal duration in ns.
    pub(crate) fn completion(
        &mut self,
        tuple: FiveTuple,
        bytes: u64,
        start_ns: u64,
        duration_ns: u64,
        ideal_ns: u64,
    ) -> Step {
        let FiveTuple { sip, dip, sport, dport } = tuple;
        self.fct.line(format_args!(
            "{sip:08x} {dip:08x} {sport} {dport} {bytes} {start_ns} {duration_ns} {ideal_ns}"
        ))
    }

    /// A PFC frame has been received: time, node, whether a switch, interface, whether a pause.
    pub(crate) fn pause(
        &mut self,
        now: u64,
        node: u32,
        is_switch: bool,
        interface: u32,
        pause: bool,
    ) -> Step {
        self.pfc.line(format_args!("{now} {node} {} {interface} {}", u8::from(is_switch), u8::from(pause)))
    }

    /// Writes out what is buffered.
    pub(crate) fn finish(self) -> Step {
        let optional = [self.histogram, self.queue_series, self.rate_series].into_iter().flatten();
        [self.fct, self.pfc].into_iter().chain(optional).try_for_each(Output::finish)
    }
}

fn refuse_overlap(
    config: &Config,
    base: &Path,
    wanted: &[(&'static str, &Path)],
    inputs: &[&Path],
) -> Result<(), HpccError> {
    let real = |path: &Path| fs::canonicalize(base.join(path)).unwrap_or_else(|_| base.join(path));
    let invalid = |problem: String, remedy: &str| {
        let remedy = remedy.to_owned();
        Err(HpccError::Invalid { file: config.file.clone(), line: 1, problem, remedy })
    };
    for (at, (key, path)) in wanted.iter().enumerate() {
        let file = real(path);
        if inputs.iter().any(|input| real(input) == file) {
            return invalid(
                format!("{key} names {}, which is an input", path.display()),
                "name another file for the output",
            );
        }
        let device = fs::metadata(&file).is_ok_and(|data| !data.is_file());
        if let Some((other, _)) = wanted[..at].iter().find(|(_, before)| !device && real(before) == file) {
            return invalid(
                format!("{other} and {key} name the same file {}", path.display()),
                "name a file of its own for each output",
            );
        }
    }
    Ok(())
}

/// What has been newly made, to be able to undo it.
#[derive(Default)]
struct Made {
    folders: Vec<PathBuf>,
    files: Vec<PathBuf>,
}

impl Made {
    fn open(&mut self, path: &Path) -> io::Result<File> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            let missing: Vec<&Path> = folder
                .ancestors()
                .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
                .collect();
            fs::create_dir_all(folder)?;
            self.folders.extend(missing.into_iter().rev().map(Path::to_path_buf));
        }
        let new = !path.exists();
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        if new {
            self.files.push(path.into());
        }
        Ok(file)
    }

    /// Removes it again; what cannot be removed stays, the error that led here matters more.
    fn undo(&self) {
        for file in &self.files {
            let _ = fs::remove_file(file);
        }
        for folder in self.folders.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}
