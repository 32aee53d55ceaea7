//! What the scenario makes of each switch.

use super::Scenario;
use crate::{
    Accounting, Algorithm, CnpMode, CnpStyle, Headroom, MarkAt, NodeId, PauseStyle, Scheduling,
    WatchdogAction,
};
use weir_congestion::np::{CnpScope, NpParams};
use weir_congestion::{ControlParams, RedParams, np};
use weir_switch as sw;
use weir_switch::{
    Alpha, ClassConfig, ClassKind, MmuParams, PfcParams, PortConfig, Priority, SwitchConfig, Threshold,
};
use weir_units::Rate;

impl Scenario {
    /// The switch at this node, port by port in the topology's order.
    pub fn switch_config(&self, node: NodeId) -> SwitchConfig {
        let links = self.topology.ports(node).iter().zip(0u16..);
        let ports =
            links.map(|(port, number)| self.port_config(node, number, self.topology.link(port.link).rate));
        SwitchConfig {
            buffer_bytes: self.buffer.total.get(),
            mmu: match self.buffer.accounting {
                Accounting::Standard => MmuParams::Standard { max_frame_bytes: self.nic.max_frame_bytes() },
                Accounting::Hpcc => MmuParams::Hpcc,
            },
            classes: self.qos.classes.iter().map(|class| self.class_config(class)).collect(),
            ports: ports.collect(),
            pfc: PfcParams {
                enabled: self.pfc.enabled,
                style: match self.pfc.style {
                    PauseStyle::Quanta => sw::PauseStyle::Quanta,
                    PauseStyle::OnOff => sw::PauseStyle::OnOff,
                },
                quanta: self.pfc.quanta,
                refresh: self.pfc.refresh,
                response_delay: self.pfc.response_delay,
            },
            watchdog: self.pfc.watchdog.filter(|_| self.pfc.enabled).map(|dog| sw::WatchdogParams {
                detection: dog.detect,
                restoration: dog.restore,
                action: match dog.action {
                    WatchdogAction::Drop => sw::WatchdogAction::Drop,
                    WatchdogAction::Forward => sw::WatchdogAction::Forward,
                    WatchdogAction::Alert => sw::WatchdogAction::Alert,
                },
            }),
            mark_at: match self.qos.mark_at {
                MarkAt::Dequeue => sw::MarkAt::Dequeue,
                MarkAt::Enqueue => sw::MarkAt::Enqueue,
            },
            scheduler: sw::Scheduler::Classes,
        }
    }

    fn class_config(&self, class: &crate::Class) -> ClassConfig {
        let bytes = |bytes: weir_units::Bytes| u32::try_from(bytes.get()).unwrap_or(u32::MAX);
        let priority = priority(class.priority);
        let base = match class.lossless {
            true => ClassConfig {
                ingress: match self.buffer.threshold {
                    Some(threshold) => Threshold::Static(bytes(threshold)),
                    None => dynamic(self.buffer.alpha),
                },
                kind: ClassKind::Lossless,
                xon_offset_bytes: bytes(self.pfc.xon_offset),
                ..ClassConfig::hpcc(priority)
            },
            false => ClassConfig {
                ingress: Threshold::UNLIMITED,
                egress: dynamic(self.buffer.lossy_alpha),
                kind: ClassKind::Lossy,
                xon_offset_bytes: 0,
                ..ClassConfig::hpcc(priority)
            },
        };
        let scheduling = match class.scheduling {
            Scheduling::Strict => sw::Scheduling::Strict,
            Scheduling::Weighted(weight) => sw::Scheduling::Weighted(weight),
        };
        ClassConfig { reserve_bytes: bytes(self.buffer.reserve), scheduling, ..base }
    }

    fn port_config(&self, node: NodeId, port: u16, rate: Rate) -> PortConfig {
        let mut config = PortConfig::new(rate);
        config.headroom_bytes = u32::try_from(self.headroom_bytes(node, port)).unwrap_or(u32::MAX);
        config.threshold = match (self.buffer.threshold, self.buffer.alpha_at) {
            (None, Some(at)) => {
                let scale = rate.as_bps() as f64 / at.as_bps().max(1) as f64;
                Some(dynamic(self.buffer.alpha * scale))
            }
            _ => None,
        };
        for (i, class) in (0..).zip(&self.qos.classes) {
            if let Some(ecn) = self.qos.ecn_at(i, rate) {
                let red =
                    RedParams { kmin_bytes: ecn.kmin.get(), kmax_bytes: ecn.kmax.get(), pmax: ecn.pmax };
                config = config.with_ecn(priority(class.priority), red);
            }
        }
        config
    }

    /// Headroom of a port of a switch for each lossless class, in bytes; 0 where PFC is off.
    pub fn headroom_bytes(&self, node: NodeId, port: u16) -> u64 {
        let port = self.topology.ports(node)[usize::from(port)];
        let link = self.topology.link(port.link);
        if !self.pfc.enabled {
            return 0;
        }
        match self.buffer.headroom {
            Headroom::Bytes(bytes) => bytes.get(),
            Headroom::Hpcc => sw::headroom::hpcc_bytes(link.rate, link.delay),
            Headroom::Auto => {
                let response = match self.topology.is_host(port.peer.node) {
                    true => self.nic.pfc_response_delay,
                    false => self.pfc.response_delay,
                };
                let max_frame_bytes = self.nic.max_frame_bytes();
                let link =
                    sw::headroom::Link { rate: link.rate, delay: link.delay, max_frame_bytes, response };
                let lossless = self.qos.classes.iter().filter(|class| class.lossless).count() as u32;
                sw::headroom::Headroom::of(&link).with_lossless_classes(lossless).total()
            }
        }
    }

    /// Congestion control of a queue pair at a host whose line has this rate.
    pub fn control_params(&self, line: Rate) -> ControlParams {
        self.control.params(line, self.nic.mtu)
    }

    /// Whether receivers answer marks with CNPs: only DCQCN listens to them.
    pub fn sends_cnps(&self) -> bool {
        self.control.running() == Algorithm::Dcqcn
    }

    /// The notification point of every host.
    pub fn np_params(&self) -> NpParams {
        NpParams {
            interval: self.nic.cnp_interval,
            scope: match self.nic.cnp_mode {
                CnpMode::PerFlow => CnpScope::PerFlow,
                CnpMode::PerIp => CnpScope::PerIp,
            },
            style: match self.nic.cnp_style {
                CnpStyle::Immediate => np::CnpStyle::Immediate,
                CnpStyle::WindowEnd => np::CnpStyle::WindowEnd,
            },
        }
    }
}

fn dynamic(alpha: f64) -> Threshold {
    Alpha::ratio(alpha).map_or(Threshold::UNLIMITED, Threshold::Dynamic)
}

fn priority(number: u8) -> Priority {
    Priority::ALL[usize::from(number.min(7))]
}
