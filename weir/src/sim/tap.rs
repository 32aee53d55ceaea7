//! `--pcap`: what passes a port, as a capture.

use crate::exit::Failure;
use crate::files::Part;
use std::io;
use std::path::{Path, PathBuf};
use weir_sim::net::{Direction, Tap};
use weir_units::Time;
use weir_wire::capture::PcapngWriter;

/// A capture in the making; it takes its place when it is complete.
pub struct Recorder {
    path: PathBuf,
    writer: PcapngWriter<Part>,
    interfaces: Vec<u32>,
    failed: Option<io::Error>,
    frames: u64,
}

impl Recorder {
    /// Begins a capture with one interface for each port.
    pub fn begin(path: &Path, ports: &[String]) -> Result<Self, Failure> {
        let failed = |error| Failure::io("write", path, error);
        let mut writer = PcapngWriter::new(Part::begin(path)?).map_err(failed)?;
        let interfaces = ports.iter().map(|port| writer.interface(port)).collect::<Result<_, _>>().map_err(failed)?;
        Ok(Self { path: path.to_owned(), writer, interfaces, failed: None, frames: 0 })
    }

    /// Ends the capture; how many frames it holds.
    pub fn keep(self) -> Result<u64, Failure> {
        let part = match self.failed {
            Some(error) => Err(error),
            None => self.writer.finish(),
        };
        part.map_err(|error| Failure::io("write", &self.path, error))?.keep()?;
        Ok(self.frames)
    }
}

impl Tap for Recorder {
    fn frame(&mut self, tap: usize, at: Time, _direction: Direction, bytes: &[u8]) {
        let Some(interface) = self.interfaces.get(tap).filter(|_| self.failed.is_none()) else { return };
        match self.writer.frame(*interface, at.as_ps() / 1000, bytes) {
            Ok(()) => self.frames += 1,
            Err(error) => self.failed = Some(error),
        }
    }
}
