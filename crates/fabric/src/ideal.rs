//! How fast a message can possibly be.

use crate::{End, Topology};
use weir_units::{Rate, Span};

/// One link of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Its rate.
    pub rate: Rate,
    /// Its propagation.
    pub delay: Span,
}

/// Bytes that travel besides payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    /// Most payload of a packet.
    pub mtu: u32,
    /// In every packet: headers, ICRC and FCS, and the preamble where it is counted.
    pub header_bytes: u32,
    /// In the first packet of a message alone: RETH.
    pub first_extra_bytes: u32,
    /// After every packet before the next can start: the gap between frames.
    pub gap_bytes: u32,
}

impl Framing {
    /// RoCEv2 over IPv4 and Ethernet as a line carries it: preamble 8, Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4,
    /// FCS 4 and a gap of 12 (IEEE 802.3), RETH 16 in the first packet of a WRITE.
    pub const fn rocev2_write(mtu: u32) -> Self {
        Self { mtu, header_bytes: 70, first_extra_bytes: 16, gap_bytes: 12 }
    }

    /// 48 bytes a packet and nothing else, as the ns-3 HPCC simulator reckons.
    pub const fn hpcc(mtu: u32) -> Self {
        Self { mtu, header_bytes: 48, first_extra_bytes: 0, gap_bytes: 0 }
    }

    /// Bytes that a message of `bytes` keeps a link busy for, gaps included.
    pub const fn line_bytes(&self, bytes: u64) -> u64 {
        let packets = self.packets(bytes);
        let each = self.header_bytes as u64 + self.gap_bytes as u64;
        bytes.saturating_add(packets.saturating_mul(each)).saturating_add(self.first_extra_bytes as u64)
    }

    /// Packets of a message of `bytes`; an empty one has one packet too.
    pub const fn packets(&self, bytes: u64) -> u64 {
        let mtu = if self.mtu == 0 { 1 } else { self.mtu as u64 };
        let packets = bytes.div_ceil(mtu);
        if packets == 0 { 1 } else { packets }
    }
}

/// The links behind these egress ports.
pub fn hops_of(topology: &Topology, path: &[End]) -> Vec<Hop> {
    let link = |end: &End| topology.link(topology.ports(end.node)[usize::from(end.port)].link);
    path.iter().map(link).map(|link| Hop { rate: link.rate, delay: link.delay }).collect()
}

/// Time from the first bit sent to the last byte received of a message that is alone: every switch receives a packet
/// whole before it sends it on, and takes no time itself.
///
/// With one rate C on all hops and full packets of P bytes this is
/// sum of delays + (hops − 1) P/C + bytes on the line/C.
pub fn ideal_time(path: &[Hop], bytes: u64, framing: &Framing) -> Span {
    let packets = framing.packets(bytes);
    let full = u64::from(framing.mtu) + u64::from(framing.header_bytes);
    let last_payload = bytes - (packets - 1) * u64::from(framing.mtu);
    let last = last_payload + u64::from(framing.header_bytes);
    let extra = u64::from(framing.first_extra_bytes);
    let gap = u64::from(framing.gap_bytes);
    let first = if packets == 1 { last + extra } else { full + extra };

    // `starts[i]` is when the packet starts on hop i. Equal packets pass like a train: the second and later ones follow
    // each other at the pace of the slowest hop so far.
    let passes = |starts: &[u64], i: usize, frame: u64| {
        starts[i].saturating_add(span(path[i], frame)).saturating_add(delay(path[i]))
    };
    let pace = |i: usize| span(path[i], full + gap);
    let mut starts = vec![0u64; path.len()];
    for i in 1..path.len() {
        starts[i] = passes(&starts, i - 1, first);
    }
    let mut frame = first;
    if packets > 2 {
        // The longest of: the first packet as far as hop e, the others from there on, waiting at the slowest hop.
        let waits = packets - 3;
        let second: Vec<u64> = (0..path.len())
            .map(|i| {
                let (mut best, mut travel, mut slowest) = (0, 0, 0);
                for e in (0..=i).rev() {
                    if e < i {
                        travel += span(path[e], full) + delay(path[e]);
                    }
                    slowest = slowest.max(pace(e));
                    let waited = waits.saturating_mul(slowest);
                    best = best.max((starts[e] + span(path[e], first + gap) + travel).saturating_add(waited));
                }
                best
            })
            .collect();
        starts = second;
        frame = full;
    }
    if packets > 1 {
        let mut last_starts = vec![0u64; path.len()];
        for i in 0..path.len() {
            let free = starts[i].saturating_add(span(path[i], frame + gap));
            let arrived = if i == 0 { 0 } else { passes(&last_starts, i - 1, last) };
            last_starts[i] = free.max(arrived);
        }
        starts = last_starts;
        frame = last;
    }
    match path.len() {
        0 => Span::ZERO,
        n => Span::from_ps(passes(&starts, n - 1, frame)),
    }
}

fn span(hop: Hop, bytes: u64) -> u64 {
    hop.rate.span_of(bytes).as_ps()
}

fn delay(hop: Hop) -> u64 {
    hop.delay.as_ps()
}

/// Round trip of a full packet and its acknowledgement of `ack_bytes` on the line, with nothing else about.
pub fn base_rtt(path: &[Hop], framing: &Framing, ack_bytes: u32) -> Span {
    let there = ideal_time(path, u64::from(framing.mtu), framing);
    path.iter().fold(there, |rtt, hop| rtt + hop.delay + hop.rate.span_of(u64::from(ack_bytes)))
}

/// Rate of the slowest hop.
pub fn bottleneck(path: &[Hop]) -> Rate {
    path.iter().map(|hop| hop.rate).min().unwrap_or(Rate::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const US: Span = Span::from_us(1);

    fn line(hops: usize, gbps: u64) -> Vec<Hop> {
        vec![Hop { rate: Rate::from_gbps(gbps), delay: US }; hops]
    }

    /// Completion times that follow from sum of delays + (hops − 1) P/C + wire/C, worked by hand: 100 Gb/s, 1 us a
    /// link, packets of 1000 + 48 bytes. Check T6 of the collected theory.
    #[test]
    fn the_shortest_completion_times_are_the_published_ones() {
        let framing = Framing::hpcc(1000);
        for (hops, bytes, us) in [
            (4, 1_000, 4.335),
            (4, 10_000, 5.090),
            (4, 1_000_000, 88.09),
            (2, 1_000, 2.168),
            (6, 1_000, 6.503),
        ] {
            let got = ideal_time(&line(hops, 100), bytes, &framing).as_us_f64();
            // The figures are given to three or, above 10 us, two decimals.
            let half_a_digit = if us > 10.0 { 0.005 } else { 0.0005 };
            assert!((got - us).abs() <= half_a_digit + 1e-9, "{hops} hops, {bytes} B: {got} us, not {us}");
        }
    }

    /// RTT and bandwidth-delay product as the ConWeave artefact has them: without headers, 1000 B data, ACK not counted:
    /// 2 tiers 8.32 us and 104 KB, 3 tiers 12.48 us and 156 KB.
    #[test]
    fn round_trips_are_those_of_the_artefacts() {
        let bare = Framing { mtu: 1000, header_bytes: 0, first_extra_bytes: 0, gap_bytes: 0 };
        for (hops, ns, bdp) in [(4, 8_320, 104_000), (6, 12_480, 156_000)] {
            let rtt = base_rtt(&line(hops, 100), &bare, 0);
            assert_eq!(rtt, Span::from_ns(ns));
            assert_eq!(bottleneck(&line(hops, 100)).bytes_in(rtt), bdp);
        }
    }

    /// The plain way: every packet at every hop.
    fn packet_by_packet(path: &[Hop], bytes: u64, framing: &Framing) -> Span {
        let packets = framing.packets(bytes);
        let mut free = vec![0u64; path.len()];
        let mut done = 0;
        for k in 0..packets {
            let payload = (bytes - k * u64::from(framing.mtu)).min(u64::from(framing.mtu));
            let extra = if k == 0 { framing.first_extra_bytes } else { 0 };
            let frame = payload + u64::from(framing.header_bytes + extra);
            let mut at = 0;
            for (hop, free) in path.iter().zip(&mut free) {
                let start = at.max(*free);
                *free = start + hop.rate.span_of(frame + u64::from(framing.gap_bytes)).as_ps();
                at = start + hop.rate.span_of(frame).as_ps() + hop.delay.as_ps();
            }
            done = at;
        }
        Span::from_ps(done)
    }

    proptest! {
        #[test]
        fn the_formula_is_what_packets_do(
            speeds in proptest::collection::vec((0usize..4, 0u64..3_000_000), 1..7),
            bytes in 0u64..40_000,
            mtu in 500u32..2000,
            extra in 0u32..40,
            gap in 0u32..20,
        ) {
            let path: Vec<Hop> = speeds
                .iter()
                .map(|(i, ps)| Hop { rate: Rate::from_gbps([10, 25, 100, 400][*i]), delay: Span::from_ps(*ps) })
                .collect();
            let framing = Framing { mtu, header_bytes: 58, first_extra_bytes: extra, gap_bytes: gap };
            prop_assert_eq!(ideal_time(&path, bytes, &framing), packet_by_packet(&path, bytes, &framing));
        }
    }
}
