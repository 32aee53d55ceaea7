//! What a fabric is: topology, routes, QoS policy, buffers, workloads; read from TOML with units.

mod control;
mod fault;
mod flow;
mod ideal;
mod nic;
mod qos;
mod random;
mod routes;
mod run;
mod scenario;
mod switching;
mod text;
mod topology;
mod workload;

pub use control::{
    Algorithm, Changes, Clamp, ControlSpec, DcqcnChanges, DcqcnVariant, DctcpChanges, HpccChanges, Preset,
    Segment, SwiftChanges, TimelyChanges,
};
pub use fault::{Fault, FaultKind};
pub use flow::{FlowSet, FlowSpec, Gates, Job, Op, Start};
pub use ideal::{Framing, Hop, base_rtt, bottleneck, hops_of, ideal_time};
pub use nic::{CnpMode, CnpStyle, Nic, Recovery, Window};
pub use qos::{Class, EcnRule, EcnThresholds, MarkAt, Qos, Scheduling};
pub use random::Stream;
pub use routes::{BufferCycle, MAX_HOPS, RouteOverride, Routes};
pub use run::{Probes, Run};
pub use scenario::{Notice, NoticeKind, Scenario, ScenarioError};
pub use switching::{Accounting, Buffer, Headroom, PauseStyle, Pfc, Watchdog, WatchdogAction};
pub use text::Keyword;
pub use topology::{
    CABLE_DELAY_PER_METRE, End, Link, LinkId, LinkSpec, MAX_LINK_RATE, MAX_NODES, MAX_PORTS, MIN_LINK_RATE,
    Node, NodeId, NodeKind, Port, Shape, Topology, TopologyBuilder, TopologyError, TopologySpec, Wiring,
};
pub use workload::{
    AllReduce, Cdf, CdfError, CdfProblem, Connections, CsvError, CsvFlow, CsvProblem, CsvStart, Demand,
    MAX_BYTES, MAX_FLOWS, Pattern, Repeat, Sizes, Workload, generate, read_flows, write_flows,
};
