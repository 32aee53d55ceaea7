//! A capture, packet by packet.

use super::classic::Classic;
use super::error::CaptureError;
use super::input::{Input, Order};
use super::link::LinkType;
use super::ng::{self, Ng};
use crate::{Body, WireError};
use std::io::Read;

/// A packet of a capture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// Time since 1970 in nanoseconds; `None` where the file has none (simple packet blocks).
    pub at_ns: Option<u64>,
    /// The interface, as an index into [`CaptureReader::interfaces`].
    pub interface: usize,
    /// What the bytes begin with.
    pub link_type: LinkType,
    /// Length on the wire in bytes; more than `bytes` if the capture kept only a part.
    pub wire_len: u32,
    /// The bytes that were kept.
    pub bytes: Vec<u8>,
}

impl Captured {
    /// Whether the capture kept only a part of the packet.
    pub fn is_cut(&self) -> bool {
        (self.bytes.len() as u64) < u64::from(self.wire_len)
    }

    /// What the packet carries; `None` for a link type that is not known here.
    pub fn body(&self) -> Option<Result<Body<'_>, WireError>> {
        self.link_type.body(&self.bytes).map(|found| found.map(|(body, _)| body))
    }
}

/// An interface that a capture is from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Name, where the file has one.
    pub name: Option<String>,
    /// Description, where the file has one.
    pub description: Option<String>,
    /// What its packets begin with.
    pub link_type: LinkType,
    /// Most bytes kept of a packet; 0 for no limit.
    pub snap_len: u32,
    pub(super) resolution: ng::Resolution,
    /// Seconds to add to each timestamp.
    pub(super) offset_s: i64,
}

#[derive(Debug)]
pub(super) enum Format {
    Classic(Classic),
    Ng(Ng),
}

/// Reads a capture packet by packet: pcap (micro- and nanoseconds) and pcapng, in both byte orders.
///
/// After an error there is nothing more to read.
#[derive(Debug)]
pub struct CaptureReader<R> {
    input: Input<R>,
    format: Format,
    interfaces: Vec<Interface>,
    ended: bool,
}

impl<R: Read> CaptureReader<R> {
    /// Begins with the file's header. The input is buffered here.
    pub fn new(input: R) -> Result<Self, CaptureError> {
        let mut input = Input::new(input);
        let (magic, got) = input.up_to::<4>()?;
        if got < 4 {
            return Err(CaptureError::Empty { found: got });
        }
        let mut interfaces = Vec::new();
        let mut classic = |order, ns_per_unit, input: &mut Input<R>| {
            let (classic, interface) = Classic::begin(input, order, ns_per_unit)?;
            interfaces.push(interface);
            Ok::<_, CaptureError>(Format::Classic(classic))
        };
        let format = match magic {
            [0xd4, 0xc3, 0xb2, 0xa1] => classic(Order::Little, 1000, &mut input)?,
            [0xa1, 0xb2, 0xc3, 0xd4] => classic(Order::Big, 1000, &mut input)?,
            [0x4d, 0x3c, 0xb2, 0xa1] => classic(Order::Little, 1, &mut input)?,
            [0xa1, 0xb2, 0x3c, 0x4d] => classic(Order::Big, 1, &mut input)?,
            ng::SECTION => Format::Ng(Ng::begin(&mut input)?),
            found => return Err(CaptureError::Magic { found }),
        };
        Ok(Self { input, format, interfaces, ended: false })
    }

    /// The next packet; `None` at the end of the file.
    pub fn next_packet(&mut self) -> Result<Option<Captured>, CaptureError> {
        let mut packet = Captured::default();
        Ok(self.read_packet(&mut packet)?.then_some(packet))
    }

    /// The next packet in the place of another, whose memory it uses; false, and `packet` of no meaning, at the end.
    pub fn read_packet(&mut self, packet: &mut Captured) -> Result<bool, CaptureError> {
        if self.ended {
            return Ok(false);
        }
        let found = match &mut self.format {
            Format::Classic(classic) => classic.packet(&mut self.input, packet),
            Format::Ng(ng) => ng.packet(&mut self.input, &mut self.interfaces, packet),
        };
        self.ended = !matches!(found, Ok(true));
        found
    }

    /// The interfaces described so far. Those of later sections of a pcapng file follow those of earlier ones.
    pub fn interfaces(&self) -> &[Interface] {
        &self.interfaces
    }

    /// Bytes read so far.
    pub fn offset(&self) -> u64 {
        self.input.at()
    }
}
