//! A whole frame: RoCEv2 and MAC control decoded, everything else kept as bytes.

use crate::error::{Reader, WireError};
use crate::eth::{self, Ethernet};
use crate::mac::MacControl;
use crate::roce::Roce;
use std::borrow::Cow;
use std::fmt;

/// What a frame carries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(
    clippy::large_enum_variant,
    reason = "nearly all of them are RoCEv2; a box would be an allocation a packet"
)]
pub enum Body<'a> {
    /// RoCEv2, CNPs included.
    Roce(Roce<'a>),
    /// Pause or PFC.
    MacControl(MacControl),
    /// Something else, or a fragment.
    Other(Cow<'a, [u8]>),
}

impl<'a> Body<'a> {
    /// Reads what follows an EtherType; with it what comes after the end that the inner lengths say.
    pub fn parse(ethertype: u16, bytes: &'a [u8]) -> Result<(Self, &'a [u8]), WireError> {
        Self::read(&mut Reader::new(bytes), ethertype)
    }

    pub(crate) fn read(r: &mut Reader<'a>, ethertype: u16) -> Result<(Self, &'a [u8]), WireError> {
        let all = r.rest();
        let body = match ethertype {
            eth::IPV4 => Roce::read(r, 4)?.map(Body::Roce),
            eth::IPV6 => Roce::read(r, 6)?.map(Body::Roce),
            eth::MAC_CONTROL => Some(Body::MacControl(MacControl::read(r)?)),
            _ => None,
        };
        Ok(match body {
            Some(body) => (body, r.rest()),
            None => (Body::Other(Cow::Borrowed(all)), &[]),
        })
    }

    /// Appends it.
    pub fn emit(&self, out: &mut Vec<u8>) {
        match self {
            Body::Roce(roce) => roce.emit(out),
            Body::MacControl(control) => control.emit(out),
            Body::Other(bytes) => out.extend_from_slice(bytes),
        }
    }

    /// The same with bytes of its own.
    pub fn into_owned(self) -> Body<'static> {
        match self {
            Body::Roce(roce) => Body::Roce(roce.into_owned()),
            Body::MacControl(control) => Body::MacControl(control),
            Body::Other(bytes) => Body::Other(Cow::Owned(bytes.into_owned())),
        }
    }
}

/// An Ethernet frame without FCS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Ethernet header.
    pub ethernet: Ethernet,
    /// What it carries.
    pub body: Body<'a>,
    /// Bytes after what the inner lengths say: padding to the smallest frame, or an FCS that was captured.
    pub trailer: Cow<'a, [u8]>,
}

impl<'a> Frame<'a> {
    /// A RoCEv2 frame, padded to the smallest size. The header's EtherType is set to fit.
    pub fn roce(mut ethernet: Ethernet, roce: Roce<'a>) -> Self {
        ethernet.ethertype = if matches!(roce.ip, crate::Ip::V4(_)) { eth::IPV4 } else { eth::IPV6 };
        let pad = (eth::MIN_FRAME_BYTES as usize).saturating_sub(ethernet.bytes() + roce.bytes());
        Self { ethernet, body: Body::Roce(roce), trailer: Cow::Owned(vec![0; pad]) }
    }

    /// Reads a frame from its destination address to its end. What is not RoCEv2 or MAC control is kept as bytes; what
    /// claims to be and cannot be read is an error.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, WireError> {
        let mut r = Reader::new(bytes);
        let ethernet = Ethernet::read(&mut r)?;
        let (body, trailer) = Body::read(&mut r, ethernet.ethertype)?;
        Ok(Self { ethernet, body, trailer: Cow::Borrowed(trailer) })
    }

    /// Appends the frame, every field as it is.
    pub fn emit(&self, out: &mut Vec<u8>) {
        self.ethernet.emit(out);
        self.body.emit(out);
        out.extend_from_slice(&self.trailer);
    }

    /// The bytes of the frame, as [`Frame::parse`] takes them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.emit(&mut out);
        out
    }

    /// The same frame with bytes of its own.
    pub fn into_owned(self) -> Frame<'static> {
        let Frame { ethernet, body, trailer } = self;
        Frame { ethernet, body: body.into_owned(), trailer: Cow::Owned(trailer.into_owned()) }
    }
}

impl fmt::Display for Frame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.body {
            Body::Roce(roce) => write!(f, "{}, {roce}", self.ethernet),
            Body::MacControl(control) => write!(f, "{}, {control}", self.ethernet),
            Body::Other(bytes) => write!(f, "{}, {} bytes", self.ethernet, bytes.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bth, Extensions, Ip, MacAddr, Opcode, Pfc, Psn, Qpn, Tag};

    fn ethernet(tags: Vec<Tag>) -> Ethernet {
        Ethernet { dst: MacAddr::local(2), src: MacAddr::local(1), tags, ethertype: 0 }
    }

    #[test]
    fn short_packets_are_padded_and_the_padding_is_not_payload() {
        let ip = Ip::between("10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap()).unwrap();
        let bth = Bth::new(Opcode::UC_SEND_ONLY, Qpn::new(1), Psn::new(0));
        let roce = Roce::new(ip, 1, bth, Extensions::default(), &[][..]).unwrap();
        let frame = Frame::roce(ethernet(Vec::new()), roce);
        let bytes = frame.to_bytes();
        assert_eq!((bytes.len(), frame.trailer.len()), (60, 2));
        assert_eq!(Frame::parse(&bytes), Ok(frame));
    }

    #[test]
    fn tagged_ipv6() {
        let ip = Ip::between("fd00::1".parse().unwrap(), "fd00::2".parse().unwrap()).unwrap();
        let bth = Bth::new(Opcode::RC_SEND_ONLY, Qpn::new(1), Psn::new(0));
        let roce = Roce::new(ip, 1, bth, Extensions::default(), &b"hello"[..]).unwrap();
        let frame = Frame::roce(ethernet(vec![Tag::new(3, 9)]), roce);
        let bytes = frame.to_bytes();
        assert_eq!(bytes[12..18], [0x81, 0x00, 0x60, 0x09, 0x86, 0xdd]);
        assert_eq!(Frame::parse(&bytes), Ok(frame.clone()));
        assert_eq!(frame.clone().into_owned(), frame);
        let text = frame.to_string();
        assert!(text.contains("vlan 9 priority 3") && text.contains("RC_SEND_ONLY"), "{text}");
    }

    #[test]
    fn mac_control_and_what_is_unknown_come_back_byte_for_byte() {
        let pfc = MacControl::Pfc(Pfc::default().with(3, 1)).frame(MacAddr::local(1));
        let unknown = MacControl::Other { opcode: 0x42 }.frame(MacAddr::local(1));
        let arp: Vec<u8> = (0..42).map(|i| if i == 12 { 8 } else { i }).collect();
        for bytes in [pfc, unknown, arp] {
            assert_eq!(Frame::parse(&bytes).unwrap().to_bytes(), bytes);
        }
    }
}
