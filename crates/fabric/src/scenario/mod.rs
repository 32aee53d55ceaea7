//! A whole experiment: fabric, policy, load, faults, what to record.

use crate::*;

/// A resolved experiment.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// Nodes and links.
    pub topology: Topology,
    /// Classes.
    pub qos: Qos,
    /// Switch buffers.
    pub buffer: Buffer,
    /// Flow control.
    pub pfc: Pfc,
    /// NICs.
    pub nic: Nic,
    /// The load.
    pub workloads: Vec<Workload>,
    /// What goes wrong.
    pub faults: Vec<Fault>,
    /// What to record.
    pub probes: Probes,
    /// Seeds and time limit.
    pub run: Run,
}

impl Scenario {
    /// Reads a scenario. `origin` is what errors call the text; `resolve` gives the text of a file that it refers to
    /// (a size distribution, a flow list), or says why it cannot.
    pub fn from_toml(
        _text: &str,
        _origin: &str,
        _resolve: &mut dyn FnMut(&str) -> Result<String, String>,
    ) -> Result<Scenario, Vec<ScenarioError>> {
        Err(Vec::new())
    }

    /// The flows of all workloads; the same for the same seed.
    pub fn flows(&self, seed: u64) -> FlowSet {
        generate(&self.workloads, &self.topology, seed)
    }

    /// Next hops over the links for which `up` holds, with the scenario's explicit routes.
    pub fn routes(&self, up: impl Fn(LinkId) -> bool) -> Routes {
        Routes::shortest(&self.topology, up)
    }
}

/// What is wrong with a scenario, where, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// File.
    pub origin: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Bytes of the text that it is about.
    pub span: std::ops::Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}
