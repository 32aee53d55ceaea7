//! What is sent: patterns, and the flows that they become.

mod cdf;
mod collective;
mod csv;
mod generate;
mod moe;
mod pipeline;
mod simple;
mod storage;
mod tree;

pub use cdf::{Cdf, CdfError, CdfProblem};
pub use csv::{CsvError, CsvFlow, CsvProblem, CsvStart, read_flows, write_flows};
pub use generate::{MAX_BYTES, MAX_FLOWS, generate};

use crate::text::keywords;
use crate::{NodeId, Op};
use serde::{Serialize, Serializer};
use weir_units::{Bytes, Span, Time};

keywords! {
    /// How flows share queue pairs.
    pub enum Connections: "a way to share connections" {
        /// Every flow has a queue pair of its own and starts at line rate.
        #[default]
        PerFlow = "per-flow",
        /// Flows of a workload from one host to another follow each other on one queue pair, which keeps its rate.
        PerPair = "per-pair",
    }
}

keywords! {
    /// How an all-reduce goes about it.
    pub enum AllReduce: "an all-reduce algorithm" {
        /// Reduce-scatter and all-gather round a ring: 2 (n − 1) steps of S/n.
        #[default]
        Ring = "ring",
        /// Up and down two complementary binary trees, half of the bytes each, in chunks.
        Tree = "tree",
        /// Recursive halving, then doubling: 2 log2 n steps; n a power of two.
        HalvingDoubling = "halving-doubling",
    }
}

/// How large messages are.
#[derive(Clone, Debug, PartialEq)]
pub enum Sizes {
    /// All alike.
    Fixed(Bytes),
    /// By chance.
    Cdf(Cdf),
}

impl Sizes {
    /// Mean in bytes.
    pub fn mean(&self) -> f64 {
        match self {
            Sizes::Fixed(bytes) => bytes.get() as f64,
            Sizes::Cdf(cdf) => cdf.mean(),
        }
    }
}

impl Serialize for Sizes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Sizes::Fixed(bytes) => bytes.serialize(serializer),
            Sizes::Cdf(cdf) => serializer.serialize_str(&cdf.name),
        }
    }
}

/// How much is asked of a storage service.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Demand {
    /// Requests come by chance, whether earlier ones are done or not.
    Open {
        /// Payload as a share of the bandwidth of the senders of requests.
        load: f64,
        /// For how long requests come.
        duration: Span,
    },
    /// Each client keeps some requests outstanding.
    Closed {
        /// How many at a time.
        outstanding: u32,
        /// How many in all, a client.
        requests: u32,
        /// Time between an answer and the next request.
        think: Span,
    },
}

/// Who sends what to whom.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Pattern {
    /// Many to one at the same time. With a load, again and again by chance, each time to another receiver.
    Incast {
        /// Hosts that may send.
        senders: Vec<NodeId>,
        /// Hosts that may receive.
        receivers: Vec<NodeId>,
        /// How many of the senders, chosen by chance; 0 for all but the receiver.
        fan_in: u32,
        /// Bytes from each sender.
        bytes: Bytes,
        /// Payload as a share of the bandwidth of all senders; `None`: one incast.
        #[serde(skip_serializing_if = "Option::is_none")]
        load: Option<f64>,
        /// For how long incasts come, with a load.
        duration: Span,
    },
    /// Every host sends to one other and receives from one.
    Permutation {
        /// The hosts.
        hosts: Vec<NodeId>,
        /// Bytes from each.
        bytes: Bytes,
        /// Host `i` sends to host `i + shift`; 0: at random, in one circle over all.
        shift: u32,
    },
    /// Every rank sends an equal share of its buffer to every other.
    AllToAll {
        /// The ranks, in order.
        hosts: Vec<NodeId>,
        /// A rank's buffer, of which each other rank gets one n-th.
        bytes: Bytes,
        /// How many peers a rank sends to at a time; 0: all at once.
        parallel: u32,
    },
    /// Every rank ends with the sum of all buffers.
    AllReduce {
        /// The ranks, in order.
        hosts: Vec<NodeId>,
        /// A rank's buffer.
        bytes: Bytes,
        /// How.
        algorithm: AllReduce,
        /// Pieces in which a tree passes each half on.
        chunks: u32,
    },
    /// Every rank ends with one n-th of the sum: n − 1 steps round a ring.
    ReduceScatter {
        /// The ranks, in order.
        hosts: Vec<NodeId>,
        /// A rank's buffer before.
        bytes: Bytes,
    },
    /// Every rank ends with the parts of all: n − 1 steps round a ring.
    AllGather {
        /// The ranks, in order.
        hosts: Vec<NodeId>,
        /// A rank's buffer afterwards.
        bytes: Bytes,
    },
    /// Mixture of experts: every token goes to its top-k experts and comes back.
    Moe {
        /// The ranks, in order.
        hosts: Vec<NodeId>,
        /// Experts, spread evenly over the ranks in order.
        experts: u32,
        /// Experts that a token goes to, all different.
        top_k: u32,
        /// Tokens of each rank.
        tokens: u32,
        /// Bytes of a token.
        token_bytes: Bytes,
        /// Exponent of the Zipf law of the experts' popularity; 0: all alike.
        skew: f64,
        /// Times that dispatch and combine follow each other.
        layers: u32,
        /// Time that experts take before they send tokens back, and ranks before the next layer.
        compute: Span,
    },
    /// Micro-batches go forward through stages and gradients backward.
    Pipeline {
        /// Hosts: the first n/stages are stage 0 of as many pipelines side by side, and so on.
        hosts: Vec<NodeId>,
        /// Stages; divides the number of hosts.
        stages: u32,
        /// Micro-batches.
        microbatches: u32,
        /// Bytes of activations, or gradients, of a micro-batch.
        bytes: Bytes,
        /// Time of a stage for a micro-batch forward.
        forward: Span,
        /// And backward.
        backward: Span,
    },
    /// Clients read blocks from servers and write blocks to them.
    Storage {
        /// Hosts that ask.
        clients: Vec<NodeId>,
        /// Hosts that hold the blocks; each request goes to one by chance.
        servers: Vec<NodeId>,
        /// Sizes of blocks.
        sizes: Sizes,
        /// Share of requests that read.
        read_fraction: f64,
        /// Copies of a written block: the first server passes it on to the others.
        replicas: u32,
        /// How much is asked.
        #[serde(flatten)]
        demand: Demand,
    },
    /// Messages between hosts by chance: Poisson arrivals at each sender, receivers alike.
    Poisson {
        /// Hosts that send.
        senders: Vec<NodeId>,
        /// Hosts that receive.
        receivers: Vec<NodeId>,
        /// Sizes of messages.
        sizes: Sizes,
        /// Payload as a share of each sender's bandwidth; headers come on top.
        load: f64,
        /// For how long messages arrive.
        duration: Span,
    },
    /// One message for each pair.
    Pairs {
        /// Senders; one for all, or as many as receivers.
        from: Vec<NodeId>,
        /// Receivers; one for all, or as many as senders.
        to: Vec<NodeId>,
        /// Bytes of each.
        bytes: Bytes,
    },
    /// Flow by flow from a file.
    Csv {
        /// The file's name.
        file: String,
        /// What it says.
        #[serde(skip)]
        flows: Vec<CsvFlow>,
    },
}

/// Repetition of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Repeat {
    /// How often in all, at least 1.
    pub count: u32,
    /// By the clock: time from start to start. `None`: each begins when all flows of the one before have been
    /// delivered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<Span>,
    /// Without a clock: time between the end of one and the start of the next.
    pub gap: Span,
}

impl Default for Repeat {
    fn default() -> Self {
        Self { count: 1, every: None, gap: Span::ZERO }
    }
}

/// A part of the load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Workload {
    /// Its name in results; unique.
    pub name: String,
    /// A group of workloads in results, such as `foreground` or `background`.
    pub tag: String,
    /// Index of its traffic class.
    pub class: u8,
    /// How bytes travel. A storage workload chooses for itself.
    pub op: Op,
    /// When it starts.
    pub start: Time,
    /// Each flow that starts by the clock is late by up to this much, by chance.
    pub jitter: Span,
    /// How often.
    pub repeat: Repeat,
    /// How flows share queue pairs.
    pub connections: Connections,
    /// What it does.
    #[serde(flatten)]
    pub pattern: Pattern,
}

impl Pattern {
    /// The word that a scenario has for it.
    pub fn kind(&self) -> &'static str {
        match self {
            Pattern::Incast { .. } => "incast",
            Pattern::Permutation { .. } => "permutation",
            Pattern::AllToAll { .. } => "all-to-all",
            Pattern::AllReduce { .. } => "all-reduce",
            Pattern::ReduceScatter { .. } => "reduce-scatter",
            Pattern::AllGather { .. } => "all-gather",
            Pattern::Moe { .. } => "moe",
            Pattern::Pipeline { .. } => "pipeline",
            Pattern::Storage { .. } => "storage",
            Pattern::Poisson { .. } => "poisson",
            Pattern::Pairs { .. } => "pairs",
            Pattern::Csv { .. } => "csv",
        }
    }

    /// Ranks of a collective and the bytes of each, for algorithm and bus bandwidth; zeros for what is none.
    pub fn ranks(&self) -> (u32, u64) {
        match self {
            Pattern::AllToAll { hosts, bytes, .. }
            | Pattern::AllReduce { hosts, bytes, .. }
            | Pattern::ReduceScatter { hosts, bytes }
            | Pattern::AllGather { hosts, bytes } => (hosts.len() as u32, bytes.get()),
            _ => (0, 0),
        }
    }

    /// Whether the time until all of its flows are done is of interest.
    pub fn is_job(&self) -> bool {
        match self {
            Pattern::Poisson { .. } | Pattern::Pairs { .. } | Pattern::Csv { .. } => false,
            Pattern::Incast { load, .. } => load.is_none(),
            Pattern::Storage { demand, .. } => matches!(demand, Demand::Closed { .. }),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests;
