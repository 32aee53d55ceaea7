//! The short way through: a frame that would be taken in and leave at once, without a stay in its queue.

use super::{Admit, Departure, Switch};
use crate::config::ClassKind;
use crate::{Frame, Port, Priority};
use weir_units::Time;

/// What became of a frame for which the line of its egress port was free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass<F> {
    /// It leaves now, as if it had been queued and dequeued.
    Through(Departure<F>),
    /// As [`Switch::admit`] says; if it was queued, [`Switch::dequeue`] decides whether it may go.
    Admitted(Admit<F>),
}

impl<F: Frame> Switch<F> {
    /// [`admit`](Self::admit) for a frame whose `out_port` has its line free: if nothing else waits there and nothing stops
    /// it, the frame comes back at once, and every count is as after `admit` and [`dequeue`](Self::dequeue).
    ///
    /// Afterwards [`poll_pfc`](Self::poll_pfc): a resume goes before the frame, as after `dequeue`.
    #[inline]
    pub fn pass(
        &mut self,
        now: Time,
        in_port: Port,
        out_port: Port,
        priority: Priority,
        frame: F,
    ) -> Pass<F> {
        match self.pass_through(in_port, out_port, priority, &frame) {
            // It leaves nothing behind, and no curve marks at a depth of nothing.
            true => Pass::Through(Departure { frame, in_port, priority, marked: false }),
            false => Pass::Admitted(self.admit(now, in_port, out_port, priority, frame)),
        }
    }

    /// Charges and releases the frame if it goes straight through; else changes nothing.
    #[inline]
    fn pass_through(&mut self, in_port: Port, out_port: Port, priority: Priority, frame: &F) -> bool {
        let slot = usize::from(self.slots[priority.index()]);
        let bytes = frame.bytes();
        if slot >= self.stride || bytes > u32::from(u16::MAX) || self.storms > 0 {
            return false;
        }
        let Some(line) = self.lines.get_mut(out_port.index()) else { return false };
        if line.waiting != 0 || line.paused & (1 << slot) != 0 || line.line_paused {
            return false;
        }
        let Some(group) = self.groups.get_mut(in_port.index() * self.stride + slot) else { return false };
        let queue = &mut self.queues[out_port.index() * self.stride + slot];
        if group.kind() != ClassKind::Control {
            if !group.passes(&self.pool, bytes, queue.threshold) {
                return false;
            }
            group.note_passage(&mut self.pool, bytes);
        }
        group.packets += 1;
        group.octets += u64::from(bytes);
        queue.packets += 1;
        queue.octets += u64::from(bytes);
        queue.peak = queue.peak.max(bytes);
        self.rule.serve_alone(&mut line.round, slot);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Alpha, ClassConfig, MarkAt, MmuParams, PfcParams, PortConfig, RedParams, Scheduler, Scheduling,
        SwitchConfig,
    };
    use proptest::prelude::*;
    use weir_units::{Rate, Span};

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Dummy {
        bytes: u32,
        ce: bool,
    }

    impl Frame for Dummy {
        fn bytes(&self) -> u32 {
            self.bytes
        }
        fn ecn_capable(&self) -> bool {
            true
        }
        fn mark_ce(&mut self) {
            self.ce = true;
        }
    }

    fn config(hpcc: bool) -> SwitchConfig {
        let [p0, p3, p4] = [0, 3, 4].map(Priority::from_pcp);
        let red = RedParams { kmin_bytes: 1000, kmax_bytes: 8000, pmax: 0.5 };
        let rate = Rate::from_gbps(100);
        let (mmu, classes, port, scheduler) = if hpcc {
            let classes = vec![ClassConfig::control(p0), ClassConfig::hpcc(p3), ClassConfig::hpcc(p4)];
            (
                MmuParams::Hpcc,
                classes,
                PortConfig::hpcc(rate, Span::from_ns(100), 3),
                Scheduler::PacketRoundRobin,
            )
        } else {
            let mut heavy = ClassConfig::lossless(p3, Alpha::power_of_two(-2).unwrap());
            heavy.scheduling = Scheduling::Weighted(3);
            let alpha = Alpha::power_of_two(0).unwrap();
            let classes = vec![ClassConfig::control(p0), heavy, ClassConfig::lossy(p4, alpha)];
            let port = PortConfig { headroom_bytes: 4000, ..PortConfig::new(rate) };
            (MmuParams::Standard { max_frame_bytes: 1500 }, classes, port, Scheduler::Classes)
        };
        SwitchConfig {
            buffer_bytes: 60_000,
            mmu,
            classes,
            ports: vec![port.with_ecn(p3, red).with_ecn(p4, red); 3],
            pfc: PfcParams::on_off(),
            watchdog: None,
            mark_at: MarkAt::Dequeue,
            scheduler,
        }
    }

    #[test]
    fn an_idle_switch_lets_a_frame_through() {
        let mut switch: Switch<Dummy> = Switch::new(&config(true)).unwrap();
        let frame = Dummy { bytes: 1048, ce: false };
        let mut pass = |frame| switch.pass(Time::ZERO, Port(0), Port(1), Priority::from_pcp(3), frame);
        assert!(matches!(pass(frame), Pass::Through(_)));
        switch.admit(Time::ZERO, Port(0), Port(1), Priority::from_pcp(3), frame);
        let mut pass = |frame| switch.pass(Time::ZERO, Port(0), Port(1), Priority::from_pcp(3), frame);
        assert_eq!(pass(frame), Pass::Admitted(Admit::Queued), "behind one that waits");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        /// Two switches, one fed by `pass`, one by `admit` and then `dequeue`: all that can be seen of them is the same.
        #[test]
        fn is_as_good_as_queueing(
            hpcc: bool,
            steps in prop::collection::vec((0u8..8, 0u16..3, 0u16..3, 0u8..6, 1u32..1500), 1..300),
        ) {
            let mut short: Switch<Dummy> = Switch::new(&config(hpcc)).unwrap();
            let mut long = short.clone();
            for (time, (what, a, b, priority, bytes)) in (0u64..).zip(steps) {
                let now = Time::from_ns(time);
                let (in_port, out_port) = (Port(a), Port(b));
                let priority = Priority::from_pcp(priority);
                match what {
                    0..4 => {
                        let frame = Dummy { bytes, ce: false };
                        let passed = short.pass(now, in_port, out_port, priority, frame);
                        let admitted = long.admit(now, in_port, out_port, priority, frame);
                        if let Pass::Through(departure) = passed {
                            prop_assert_eq!(admitted, Admit::Queued);
                            prop_assert_eq!(long.poll_pfc(), None);
                            prop_assert_eq!(long.dequeue(now, out_port, &mut || 0.0), Some(departure));
                        } else {
                            prop_assert_eq!(passed, Pass::Admitted(admitted));
                        }
                    }
                    4..7 => {
                        let departure = short.dequeue(now, out_port, &mut || 0.3);
                        prop_assert_eq!(departure, long.dequeue(now, out_port, &mut || 0.3));
                    }
                    _ => {
                        let frame = if bytes % 3 == 0 {
                            crate::PfcFrame::pause(priority, 1)
                        } else {
                            crate::PfcFrame::resume(priority)
                        };
                        short.handle_pfc(now, in_port, &frame);
                        long.handle_pfc(now, in_port, &frame);
                    }
                }
                while let Some(pfc) = short.poll_pfc() {
                    prop_assert_eq!(long.poll_pfc(), Some(pfc));
                }
                prop_assert_eq!(long.poll_pfc(), None);
            }
            prop_assert_eq!(format!("{short:?}"), format!("{long:?}"));
        }
    }
}
