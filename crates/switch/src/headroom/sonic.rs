//! The headroom that SONiC reckons for Spectrum switches.
//!
//! A switch stores frames in cells, so a frame takes more than its bytes; in the worst case every frame is of the
//! length that wastes most. Written from the published formula; constants are those of SONiC for this family. One
//! quirk is kept, so that results equal those of a switch: the bytes on the cable are reckoned with 1000 B to a
//! "kilobyte" of 1024 B, which makes them 2.3% too few.

use crate::pause::response_limit_quanta;
use weir_units::Rate;

/// Speed of light in a cable, metres a second.
const LIGHT: f64 = 198_000_000.0;
const KIB: f64 = 1024.0;
/// Shortest Ethernet frame.
const MIN_FRAME: f64 = 64.0;

/// What the formula depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Rate of the port.
    pub rate: Rate,
    /// Length of the cable, metres.
    pub cable_m: f64,
    /// Longest frame of the port, bytes.
    pub port_mtu_bytes: u32,
    /// Longest frame of the lossless classes, bytes.
    pub lossless_mtu_bytes: u32,
    /// Share of shortest frames in the traffic, 0 to 1.
    pub small_packets: f64,
    /// A cell of the buffer: 96 B on Spectrum, 144 B on Spectrum-2 and -3.
    pub cell_bytes: u32,
    /// What the switch's pipeline holds, bytes: 18 KiB.
    pub pipeline_bytes: u32,
    /// What MAC and PHY hold, bytes: 0.8 KiB.
    pub mac_phy_bytes: f64,
    /// Delay of a gearbox, ns; 0 without one.
    pub gearbox_ns: f64,
    /// Whether the port has eight lanes.
    pub eight_lanes: bool,
}

impl Params {
    /// A port of a Spectrum switch with cells of `cell_bytes`, under SONiC's defaults: 9100 B frames, 1500 B lossless
    /// ones, all as short as they can be.
    pub fn spectrum(rate: Rate, cable_m: f64, cell_bytes: u32) -> Self {
        Self {
            rate,
            cable_m,
            port_mtu_bytes: 9100,
            lossless_mtu_bytes: 1500,
            small_packets: 1.0,
            cell_bytes,
            pipeline_bytes: 18 * 1024,
            mac_phy_bytes: 0.8 * KIB,
            gearbox_ns: 0.0,
            eight_lanes: false,
        }
    }
}

/// Headroom of one port and priority, each term by itself. Bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SonicHeadroom {
    /// A lossless frame that the peer has just begun.
    pub lossless_frame: f64,
    /// A frame that this end has just begun.
    pub port_frame: f64,
    /// What is on the cable, both ways.
    pub cable: f64,
    /// What gearboxes at both ends hold.
    pub gearboxes: f64,
    /// What MAC and PHY hold.
    pub mac_phy: f64,
    /// What the peer sends until it obeys.
    pub peer_response: f64,
    /// Bytes of cells to a byte of frames, for all but the lossless frame.
    pub cell_occupancy: f64,
    /// `xoff`: headroom proper, whole KiB.
    pub xoff_bytes: u64,
    /// `xon`: what the pipeline holds, whole KiB.
    pub xon_bytes: u64,
    /// `size`: the profile's size, whole KiB.
    pub size_bytes: u64,
}

impl SonicHeadroom {
    /// By SONiC's formula.
    pub fn of(params: &Params) -> Self {
        let gbps = params.rate.as_gbps_f64();
        let cell = f64::from(params.cell_bytes);
        let worst = if cell > 2.0 * MIN_FRAME { cell / MIN_FRAME } else { 2.0 * cell / (1.0 + cell) };
        let cell_occupancy = 1.0 - params.small_packets + params.small_packets * worst;
        let quirk = 1000.0 / KIB;
        let terms = Self {
            lossless_frame: f64::from(params.lossless_mtu_bytes),
            port_frame: f64::from(params.port_mtu_bytes),
            cable: 2.0 * params.cable_m * gbps * 1e9 / LIGHT / 8.0 * quirk,
            gearboxes: 2.0 * gbps * params.gearbox_ns / 8.0 * quirk,
            mac_phy: params.mac_phy_bytes,
            peer_response: f64::from(response_limit_quanta(params.rate)) * 64.0,
            cell_occupancy,
            xoff_bytes: 0,
            xon_bytes: 0,
            size_bytes: 0,
        };
        let delay = terms.port_frame + terms.cable + terms.gearboxes + terms.mac_phy + terms.peer_response;
        let pipeline = f64::from(params.pipeline_bytes);
        // Eight lanes have a pipeline twice as long.
        let (pipeline, overhead) = match params.eight_lanes {
            true => (2.0 * pipeline - KIB, terms.port_frame),
            false => (pipeline, 0.0),
        };
        let xoff = kib_up(terms.lossless_frame + delay * cell_occupancy);
        let xon = kib_up(pipeline);
        Self { xoff_bytes: xoff, xon_bytes: xon, size_bytes: kib_up((xoff + xon) as f64 + overhead), ..terms }
    }
}

/// Up to whole KiB.
fn kib_up(bytes: f64) -> u64 {
    (bytes / KIB).ceil() as u64 * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_tables() {
        // Rate, cable, cell: xoff and size in KiB. T11's worked numbers.
        let table = [
            (40, 40.0, 96, 40, 58),
            (100, 5.0, 144, 81, 99),
            (100, 40.0, 144, 90, 108),
            (100, 300.0, 144, 160, 178),
            (400, 40.0, 144, 194, 212),
            (400, 300.0, 144, 476, 494),
        ];
        for (gbps, metres, cell, xoff, size) in table {
            let headroom = SonicHeadroom::of(&Params::spectrum(Rate::from_gbps(gbps), metres, cell));
            assert_eq!(
                (headroom.xoff_bytes / 1024, headroom.size_bytes / 1024),
                (xoff, size),
                "{gbps} Gb/s, {metres} m: {headroom:?}"
            );
            assert_eq!(headroom.xon_bytes, 18 * 1024);
        }
    }

    #[test]
    fn eight_lanes_have_a_longer_pipeline() {
        let four = Params::spectrum(Rate::from_gbps(400), 40.0, 144);
        let eight = SonicHeadroom::of(&Params { eight_lanes: true, ..four });
        let four = SonicHeadroom::of(&four);
        assert_eq!(eight.xoff_bytes, four.xoff_bytes);
        assert_eq!(eight.xon_bytes, (2 * 18 - 1) * 1024);
        assert_eq!(eight.size_bytes, (194 + 35 + 9) * 1024, "9100 B are 9 KiB");
    }
}
