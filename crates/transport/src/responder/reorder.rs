//! Selective repeat: packets that arrived before one that is missing.
//!
//! Packets of a write whose first packet has been executed go to memory as they come: their place follows from the
//! sequence number. Others wait with their payload. A program sees a message's completion only when all of it is there,
//! but bytes of a write may appear out of order.

use super::execute::{KIND, WRITE};
use crate::env::Env;
use crate::memory::Memory;
use crate::packet::Packet;
use crate::qp::Qp;
use weir_wire::Psn;

/// What came of a packet ahead of the expected one.
pub(super) enum Taken {
    New,
    Again,
    Beyond,
}

/// Packets that wait, by sequence number.
#[derive(Debug)]
pub(super) struct Reorder<P> {
    /// A power of two of slots; none until the first packet comes out of order.
    slots: Vec<Option<(Packet<P>, bool)>>,
    cap: u32,
    used: u32,
}

impl<P> Reorder<P> {
    pub fn new(cap_packets: u32) -> Self {
        Self { slots: Vec::new(), cap: cap_packets.next_power_of_two().clamp(64, 1 << 22), used: 0 }
    }

    fn slot(&self, psn: Psn) -> usize {
        (psn.get() & (self.cap - 1)) as usize
    }

    /// The next packet in order, if it is here, and whether its payload is in memory.
    pub fn next(&mut self, expected: Psn) -> Option<(Packet<P>, bool)> {
        if self.used == 0 {
            return None;
        }
        let slot = self.slot(expected);
        let found = self.slots.get_mut(slot)?.take_if(|(packet, _)| packet.psn == expected)?;
        self.used -= 1;
        Some(found)
    }

    pub fn put_back(&mut self, packet: Packet<P>, placed: bool) {
        let slot = self.slot(packet.psn);
        if let Some(slot) = self.slots.get_mut(slot) {
            *slot = Some((packet, placed));
            self.used += 1;
        }
    }

    /// Whether the packet with this number waits.
    fn has(&self, psn: Psn) -> bool {
        matches!(self.slots.get(self.slot(psn)), Some(Some((packet, _))) if packet.psn == psn)
    }

    /// A base and a bitmap of 64 packets from there on that ends with `arrived`, nothing of it before the one after
    /// `expected`.
    pub fn report(&self, expected: Psn, arrived: Psn) -> (Psn, u64) {
        let ahead = arrived.since(expected);
        let base = if ahead > 64 { arrived.sub(63) } else { expected.add(1) };
        let bitmap = (0..64).filter(|bit| self.has(base.add(*bit))).fold(0, |bitmap, bit| bitmap | 1 << bit);
        (base, bitmap)
    }
}

impl<P: Clone + Default> Reorder<P> {
    /// Keeps a packet that is `ahead` of the expected one.
    pub fn take(&mut self, packet: &Packet<P>, ahead: u32, placed: bool) -> Taken {
        if ahead >= self.cap {
            return Taken::Beyond;
        }
        if self.slots.is_empty() {
            self.slots.resize_with(self.cap as usize, || None);
        }
        let at = self.slot(packet.psn);
        let slot = &mut self.slots[at];
        match slot {
            Some((waiting, _)) if waiting.psn == packet.psn => return Taken::Again,
            Some(_) => {}
            None => self.used += 1,
        }
        let kept = match placed {
            true => Packet { payload: P::default(), ..packet.clone() },
            false => packet.clone(),
        };
        *slot = Some((kept, placed));
        Taken::New
    }
}

impl<M: Memory> Qp<M> {
    /// Puts the payload of a packet that is ahead into memory, if it belongs to the write under way.
    pub(super) fn place_early(&mut self, packet: &Packet<M::Payload>, env: &mut Env<M>) -> bool {
        let Some(message) = self.resp.message.filter(|message| message.write) else { return false };
        let mtu = self.config.mtu;
        let index = packet.psn.since(message.first);
        let kind = KIND[usize::from(packet.opcode.operation())];
        // What does not fit is refused when its turn comes; nothing of it may reach memory.
        if index <= 0 || kind & WRITE == 0 || message.epoch != env.keys.epoch() {
            return false;
        }
        let offset = u64::from(index as u32) * u64::from(mtu);
        if offset + u64::from(packet.payload_bytes) > u64::from(message.len)
            || self.resp.reorder.as_ref().is_none_or(|reorder| reorder.has(packet.psn))
            || packet.psn.since(self.resp.expected) as u32 >= self.resp.reorder.as_ref().map_or(0, |r| r.cap)
        {
            return false;
        }
        let to = message.addr.wrapping_add(offset);
        env.memory.write(to, &packet.payload, 0, packet.payload_bytes.into());
        true
    }
}
