//! `--pcap`: what passes a port, as a capture.

use crate::exit::Failure;
use crate::files::Part;
use std::path::{Path, PathBuf};
use weir_sim::net::{Direction, Tap};
use weir_units::Time;
use weir_wire::capture::{PcapngWriter, WriteError};

/// A capture in the making; it takes its place when it is complete.
pub struct Recorder {
    path: PathBuf,
    writer: PcapngWriter<Part>,
    /// Of each port one for what leaves and one for what arrives.
    interfaces: Vec<[u32; 2]>,
    failed: Option<WriteError>,
    frames: u64,
}

impl Recorder {
    /// Begins a capture with two interfaces for each port.
    pub fn begin(path: &Path, ports: &[String]) -> Result<Self, Failure> {
        let failed = |error: WriteError| Failure::io("write", path, error.into());
        let mut writer = PcapngWriter::new(Part::begin(path)?).map_err(failed)?;
        let mut both = |port: &String| -> Result<[u32; 2], WriteError> {
            Ok([writer.interface(&format!("{port} out"))?, writer.interface(&format!("{port} in"))?])
        };
        let interfaces = ports.iter().map(&mut both).collect::<Result<_, _>>().map_err(failed)?;
        Ok(Self { path: path.to_owned(), writer, interfaces, failed: None, frames: 0 })
    }

    /// Ends the capture; how many frames it holds.
    pub fn keep(self) -> Result<u64, Failure> {
        let part = match self.failed {
            Some(error) => Err(error),
            None => self.writer.finish(),
        };
        part.map_err(|error| Failure::io("write", &self.path, error.into()))?.keep()?;
        Ok(self.frames)
    }
}

impl Tap for Recorder {
    fn frame(&mut self, tap: usize, at: Time, direction: Direction, bytes: &[u8]) {
        let Some([out, into]) = self.interfaces.get(tap).filter(|_| self.failed.is_none()) else { return };
        let interface = match direction {
            Direction::Out => *out,
            Direction::In => *into,
        };
        match self.writer.frame(interface, at.as_ps() / 1000, bytes) {
            Ok(()) => self.frames += 1,
            Err(error) => self.failed = Some(error),
        }
    }
}
