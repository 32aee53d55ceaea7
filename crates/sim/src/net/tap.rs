//! Taps: what passes a port, as bytes.
//!
//! Host `n` has the address 10.0.0.0 + n + 1 and a locally administered MAC address; frames have the MAC addresses of
//! sending and receiving host all the way. Payload is zeros. Telemetry of HPCC has no standard form in RoCEv2 and is left
//! out, so that such frames are shorter here than on their way.

use super::engine::Engine;
use super::frame::{CE, CORRUPT, ECT, Handle};
use super::options::{Direction, SimError};
use std::net::Ipv4Addr;
use weir_fabric::NodeId;
use weir_switch::PfcFrame;
use weir_transport::Packet;
use weir_wire::eth::{Ethernet, IPV4, MacAddr};
use weir_wire::mac::{MacControl, Pfc};
use weir_wire::{Ecn, Extensions, Frame, Ip, Ipv4, Roce};

impl Engine<'_> {
    /// Finds the ports that taps name.
    pub(super) fn set_taps(&mut self) -> Result<(), SimError> {
        for name in &self.options.taps {
            let Some(port) = self.port_named(name) else {
                return Err(self.no_such_port("tap", name, "port"));
            };
            self.taps.push(port);
            self.set_special(port);
        }
        Ok(())
    }

    /// The number of the tap at a port.
    pub(super) fn tap_of(&self, port: u32) -> Option<usize> {
        self.taps.iter().position(|tapped| *tapped == port)
    }

    /// Shows a frame to the tap of a port, if there is one.
    pub(super) fn tap_frame(&mut self, port: u32, direction: Direction, frame: Handle) {
        let Some(tap) = self.tap_of(port) else { return };
        if let Some(bytes) = self.frame_bytes(frame) {
            self.tap.frame(tap, self.now, direction, &bytes);
        }
    }

    /// Shows a PFC frame to the tap of a port, if there is one.
    pub(super) fn tap_pfc(&mut self, port: u32, direction: Direction, pfc: &PfcFrame) {
        let Some(tap) = self.tap_of(port) else { return };
        let sender = match direction {
            Direction::Out => port,
            Direction::In => self.lines[port as usize].peer,
        };
        let control =
            pfc.iter().fold(Pfc::default(), |pfc, (priority, quanta)| pfc.with(priority.number(), quanta));
        let bytes = MacControl::Pfc(control).frame(mac(self.node_of(sender)));
        self.tap.frame(tap, self.now, direction, &bytes);
    }

    /// The bytes of a frame as they are on the line. None for what no line can carry.
    fn frame_bytes(&self, frame: Handle) -> Option<Vec<u8>> {
        let flying = self.frames.get(frame.packet);
        let (conn, side) = (self.conns.get(flying.to / 2)?, (flying.to & 1) as usize);
        let (from, to) = (self.node_of(conn.ends[1 - side].port), self.node_of(conn.ends[side].port));
        let packet = &flying.packet;
        let (ext, payload) = match packet.selective_ack_bytes() {
            // Its headers are a manufacturer's: to the standard they look like payload.
            Some(bytes) => (Extensions::default(), bytes.to_vec()),
            None => (packet.extensions(), vec![0; usize::from(packet.payload_bytes)]),
        };
        let mut ip = Ip::V4(Ipv4::udp(address(from), address(to)));
        ip.set_traffic_class(self.dscp(frame.prio) << 2 | ecn(frame.flags).bits());
        let source_port = self.source_port(conn.key);
        let mut roce = Roce::new(ip, source_port, Packet::bth(packet), ext, payload).ok()?;
        if frame.flags & CORRUPT != 0 {
            roce.icrc ^= 1;
        }
        let ethernet = Ethernet { dst: mac(to), src: mac(from), tags: Vec::new(), ethertype: IPV4 };
        Some(Frame::roce(ethernet, roce).to_bytes())
    }

    /// The code point of a priority's packets.
    fn dscp(&self, prio: u8) -> u8 {
        let class = self.scenario.qos.classes.iter().find(|class| class.priority == prio);
        class.and_then(|class| class.dscp.first()).copied().unwrap_or(0)
    }
}

fn ecn(flags: u8) -> Ecn {
    match flags {
        flags if flags & CE != 0 => Ecn::Ce,
        flags if flags & ECT != 0 => Ecn::Ect0,
        _ => Ecn::NotEct,
    }
}

fn mac(node: NodeId) -> MacAddr {
    MacAddr::local(node.0 + 1)
}

fn address(host: NodeId) -> Ipv4Addr {
    Ipv4Addr::from(0x0a00_0000u32.wrapping_add(host.0 + 1))
}
