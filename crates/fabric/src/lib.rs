//! What a fabric is: topology, routes, QoS policy, buffers, workloads; read from TOML with units.

mod fault;
mod flow;
mod nic;
mod qos;
mod routes;
mod run;
mod scenario;
mod switching;
mod text;
mod topology;

pub use fault::{Fault, FaultKind};
pub use flow::{FlowSet, FlowSpec, Gates, Job, Op, Start};
pub use nic::{CnpMode, CnpStyle, Nic, Recovery, Window};
pub use qos::{Class, EcnRow, EcnThresholds, MarkAt, Qos, Scheduling};
pub use routes::{BufferCycle, MAX_HOPS, RouteOverride, Routes};
pub use run::{Probes, Run};
pub use scenario::{Scenario, ScenarioError};
pub use switching::{Buffer, Headroom, PauseStyle, Pfc, Watchdog, WatchdogAction};
pub use text::Keyword;
pub use topology::{
    CABLE_DELAY_PER_METRE, End, Link, LinkId, LinkSpec, MAX_LINK_RATE, MAX_NODES, MAX_PORTS, MIN_LINK_RATE,
    Node, NodeId, NodeKind, Port, Shape, Topology, TopologyBuilder, TopologyError, TopologySpec, Wiring,
};
