//! What a fabric is: topology, routes, QoS policy, buffers, workloads; read from TOML with units.

mod fault;
mod flow;
mod nic;
mod qos;
mod routes;
mod run;
mod scenario;
mod switching;
mod topology;

pub use fault::{Fault, FaultKind};
pub use flow::{FlowSet, FlowSpec, Gate, Job, Op, Start};
pub use nic::{CnpMode, CnpStyle, Nic, Recovery, Window};
pub use qos::{Class, EcnRow, EcnThresholds, MarkAt, Qos, Scheduling};
pub use routes::Routes;
pub use run::{Probes, Run};
pub use scenario::{Scenario, ScenarioError};
pub use switching::{Buffer, Headroom, PauseStyle, Pfc, Watchdog, WatchdogAction};
pub use topology::{End, Link, LinkId, Node, NodeId, NodeKind, Port, Topology};
