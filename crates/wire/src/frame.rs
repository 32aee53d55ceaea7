//! A whole frame: what RoCEv2 has from Ethernet to ICRC, and everything else kept as bytes.

use crate::bth::Bth;
use crate::error::{Reader, WireError};
use crate::eth::{self, Ethernet};
use crate::ext::{Extensions, Layout};
use crate::icrc::icrc;
use crate::ip::{Ip, Ipv4, ROCE_PORT, UDP, Udp};
use crate::opcode::Opcode;
use crate::pfc::MacControl;

/// A RoCEv2 packet with its IP and UDP headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roce {
    /// IP header.
    pub ip: Ip,
    /// UDP header.
    pub udp: Udp,
    /// Base transport header.
    pub bth: Bth,
    /// Extension headers.
    pub ext: Extensions,
    /// Payload without pad; for a CNP its 16 reserved bytes.
    pub payload: Vec<u8>,
    /// Pad bytes as found.
    pub pad: Vec<u8>,
    /// ICRC as found, in the order in which it is sent read least significant byte first.
    pub icrc: u32,
}

impl Roce {
    /// From the BTH on: headers, payload and pad, without ICRC.
    fn emit_transport(&self, out: &mut Vec<u8>) {
        self.bth.emit(out);
        self.ext.emit(out);
        out.extend_from_slice(&self.payload);
        out.extend_from_slice(&self.pad);
    }

    /// The ICRC that the packet should have.
    pub fn computed_icrc(&self) -> u32 {
        let mut transport = Vec::with_capacity(64 + self.payload.len());
        self.emit_transport(&mut transport);
        icrc(&self.ip, &self.udp, &transport)
    }

    /// Whether the ICRC is right.
    pub fn icrc_ok(&self) -> bool {
        self.icrc == self.computed_icrc()
    }

    /// Sets pad, lengths, IPv4 checksum and ICRC to what the other fields ask for. `Err` gives the length that does not
    /// fit into a datagram.
    pub fn seal(&mut self) -> Result<(), usize> {
        let pad = (4 - self.payload.len() % 4) % 4;
        self.pad = vec![0; pad];
        self.bth.pad = pad as u8;
        let mut transport = Vec::with_capacity(64 + self.payload.len());
        self.emit_transport(&mut transport);
        let udp_len = 8 + transport.len() + 4;
        let head = if let Ip::V4(ip) = &self.ip { 20 + ip.options.len() } else { 0 };
        let len = u16::try_from(udp_len + head).map_err(|_| udp_len + head)?;
        self.udp.len = udp_len as u16;
        match &mut self.ip {
            Ip::V4(ip) => {
                ip.total_len = len;
                ip.checksum = Ipv4::computed_checksum(ip);
            }
            Ip::V6(ip) => ip.payload_len = len,
        }
        self.icrc = icrc(&self.ip, &self.udp, &transport);
        Ok(())
    }

    /// Appends the packet from the IP header to the ICRC.
    pub fn emit(&self, out: &mut Vec<u8>) {
        self.ip.emit(out);
        self.udp.emit(out);
        self.emit_transport(out);
        out.extend_from_slice(&self.icrc.to_le_bytes());
    }

    /// Reads the packet that starts with an IP header of `version`. `Ok(None)`: it is IP, and not RoCEv2.
    pub(crate) fn read(r: &mut Reader<'_>, version: u8) -> Result<Option<Self>, WireError> {
        let ip = Ip::read(r, version)?;
        if ip.protocol() != UDP || ip.is_fragment() {
            return Ok(None);
        }
        let udp = Udp::read(r)?;
        if udp.dst_port != ROCE_PORT {
            return Ok(None);
        }
        let offset = r.at();
        let rest = ip.payload_len().saturating_sub(8);
        if usize::from(udp.len) != rest + 8 {
            let (field, found) = ("UDP length", u32::from(udp.len));
            return Err(WireError::Value { field, offset, found, expected: "the IP payload's length" });
        }
        let mut body = Reader::new(r.take("RoCEv2 datagram", rest)?);
        let bth = Bth::read(&mut body)?;
        let ext = match Layout::of(bth.opcode) {
            Some(layout) => Extensions::read(&mut body, layout)?,
            None => Extensions::default(),
        };
        let left = body.left();
        let payload = left.checked_sub(4 + usize::from(bth.pad)).ok_or(WireError::Short {
            field: "payload, pad and ICRC",
            offset: offset + body.at(),
            needed: 4 + usize::from(bth.pad),
            left,
        })?;
        let payload = body.take("payload", payload)?.to_vec();
        let pad = body.take("pad", usize::from(bth.pad))?.to_vec();
        let icrc = u32::from_le_bytes(body.array("ICRC")?);
        Ok(Some(Self { ip, udp, bth, ext, payload, pad, icrc }))
    }

    /// Whether this is a congestion notification packet.
    pub fn is_cnp(&self) -> bool {
        self.bth.opcode == Opcode::CNP
    }
}

/// What a frame carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// RoCEv2.
    Roce(Box<Roce>),
    /// Pause or PFC.
    MacControl(MacControl),
    /// Something else, or a fragment.
    Other(Vec<u8>),
}

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Ethernet header.
    pub ethernet: Ethernet,
    /// What it carries.
    pub body: Body,
    /// Bytes after what the inner lengths say: padding to the smallest frame.
    pub trailer: Vec<u8>,
}

impl Frame {
    /// Reads a frame from its destination address to its end, without FCS. Never panics; what is not RoCEv2 or MAC control
    /// is kept as bytes, and RoCEv2 that cannot be read is an error.
    pub fn parse(bytes: &[u8]) -> Result<Self, WireError> {
        let mut r = Reader::new(bytes);
        let ethernet = Ethernet::read(&mut r)?;
        let start = r.at();
        let body = match ethernet.ethertype {
            eth::IPV4 => Roce::read(&mut r, 4)?.map(|roce| Body::Roce(Box::new(roce))),
            eth::IPV6 => Roce::read(&mut r, 6)?.map(|roce| Body::Roce(Box::new(roce))),
            eth::MAC_CONTROL => Some(Body::MacControl(MacControl::read(&mut r)?)),
            _ => None,
        };
        let (body, trailer) = match body {
            Some(body) => (body, bytes[r.at()..].to_vec()),
            None => (Body::Other(bytes[start..].to_vec()), Vec::new()),
        };
        Ok(Self { ethernet, body, trailer })
    }

    /// The bytes of the frame, as [`Frame::parse`] takes them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match &self.body {
            Body::MacControl(control) => {
                let whole = control.frame(self.ethernet.src);
                self.ethernet.emit(&mut out);
                let used = match control {
                    MacControl::Pause { .. } => 4,
                    MacControl::Pfc(_) => 20,
                    MacControl::Other { .. } => 2,
                };
                out.extend_from_slice(&whole[14..14 + used]);
            }
            Body::Roce(roce) => {
                self.ethernet.emit(&mut out);
                roce.emit(&mut out);
            }
            Body::Other(bytes) => {
                self.ethernet.emit(&mut out);
                out.extend_from_slice(bytes);
            }
        }
        out.extend_from_slice(&self.trailer);
        out
    }
}
