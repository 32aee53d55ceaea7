//! A small network of switches and hosts that send at line rate, to see what pauses do.

use super::{Pkt, no_draw};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use weir_switch::{Admit, DropReason, PauseRx, PauseStyle, PfcFrame, Port, Priority, Switch, SwitchConfig};
use weir_units::{Rate, Span, Time};

/// Bytes of a PFC frame on the line.
const PFC_BYTES: u64 = 64;

#[derive(Clone, Copy)]
enum Item {
    Data(Pkt),
    Pfc(PfcFrame),
}

enum What {
    Arrive { node: usize, port: usize, item: Item },
    Free { node: usize, port: usize },
    Wake { node: usize, port: usize },
    Deadline { node: usize },
}

struct Event {
    key: Reverse<(Time, u64)>,
    what: What,
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}
impl Eq for Event {}
impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Event {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

/// What a host sends: frames of one size, one after the other, at line rate or slower.
#[derive(Clone, Copy)]
pub struct Source {
    pub flow: u16,
    pub bytes: u16,
    pub start: Time,
    /// Time between starts; zero for line rate.
    pub interval: Span,
    /// How many frames.
    pub count: u64,
    /// Hops that a frame lives.
    pub hops: u8,
}

struct Host {
    rx: PauseRx,
    source: Option<Source>,
    next: Time,
}

enum Kind {
    Host(Box<Host>),
    Switch(Box<Switch<Pkt>>),
}

struct Line {
    peer: usize,
    peer_port: usize,
    rate: Rate,
    delay: Span,
    busy: bool,
    pfc: VecDeque<PfcFrame>,
}

/// The network. Its switches carry everything in one priority.
pub struct Net {
    pub now: Time,
    pub priority: Priority,
    style: PauseStyle,
    response: Span,
    nodes: Vec<Kind>,
    lines: Vec<Vec<Line>>,
    /// Next port by switch and flow.
    routes: Vec<Vec<u16>>,
    /// The soonest event for a switch's deadline.
    due: Vec<Time>,
    events: BinaryHeap<Event>,
    sequence: u64,
    /// Bytes that reached a host, by flow.
    pub delivered: Vec<u64>,
    /// Frames that a switch refused.
    pub drops: Vec<DropReason>,
    /// Frames whose hops were used up.
    pub expired: u64,
    /// The last time anything reached its end.
    pub last_progress: Time,
}

impl Net {
    pub fn new(priority: Priority, style: PauseStyle, response: Span, flows: usize) -> Self {
        Self {
            now: Time::ZERO,
            priority,
            style,
            response,
            nodes: Vec::new(),
            lines: Vec::new(),
            routes: Vec::new(),
            due: Vec::new(),
            events: BinaryHeap::new(),
            sequence: 0,
            delivered: vec![0; flows],
            drops: Vec::new(),
            expired: 0,
            last_progress: Time::ZERO,
        }
    }

    pub fn host(&mut self, rate: Rate, source: Option<Source>) -> usize {
        let rx = PauseRx::new(rate, self.style, self.response);
        let next = source.map_or(Time::MAX, |source| source.start);
        self.nodes.push(Kind::Host(Box::new(Host { rx, source, next })));
        self.lines.push(Vec::new());
        self.due.push(Time::MAX);
        self.routes.push(Vec::new());
        self.nodes.len() - 1
    }

    /// `routes`: the port of each flow.
    pub fn switch(&mut self, config: &SwitchConfig, routes: &[usize]) -> usize {
        self.nodes.push(Kind::Switch(Box::new(Switch::new(config).unwrap())));
        self.lines.push(Vec::new());
        self.due.push(Time::MAX);
        self.routes.push(routes.iter().map(|port| *port as u16).collect());
        self.nodes.len() - 1
    }

    /// Joins the next free ports of two nodes.
    pub fn link(&mut self, a: usize, b: usize, rate: Rate, delay: Span) {
        let (at_a, at_b) = (self.lines[a].len(), self.lines[b].len());
        for (node, peer, peer_port) in [(a, b, at_b), (b, a, at_a)] {
            let line = Line { peer, peer_port, rate, delay, busy: false, pfc: VecDeque::new() };
            self.lines[node].push(line);
        }
    }

    /// Joins two given ports, which may be beyond the next free ones.
    pub fn link_ports(&mut self, a: usize, port_a: usize, b: usize, port_b: usize, rate: Rate, delay: Span) {
        for (node, port, peer, peer_port) in [(a, port_a, b, port_b), (b, port_b, a, port_a)] {
            while self.lines[node].len() <= port {
                let line =
                    Line { peer: node, peer_port: port, rate, delay, busy: false, pfc: VecDeque::new() };
                self.lines[node].push(line);
            }
            (self.lines[node][port].peer, self.lines[node][port].peer_port) = (peer, peer_port);
        }
    }

    pub fn the_switch(&mut self, node: usize) -> &mut Switch<Pkt> {
        match &mut self.nodes[node] {
            Kind::Switch(switch) => switch,
            Kind::Host(_) => panic!("node {node} is a host"),
        }
    }

    pub fn paused_time(&self, node: usize) -> Span {
        match &self.nodes[node] {
            Kind::Host(host) => host.rx.paused_time(self.now, self.priority),
            Kind::Switch(_) => panic!("node {node} is a switch"),
        }
    }

    /// Bytes waiting in all switches.
    pub fn queued(&self) -> u64 {
        let switches = self.nodes.iter().filter_map(|node| match node {
            Kind::Switch(switch) => Some(switch),
            Kind::Host(_) => None,
        });
        switches.map(|s| (0..s.ports()).map(|port| s.port_bytes(Port(port as u16))).sum::<u64>()).sum()
    }

    fn at(&mut self, time: Time, what: What) {
        self.events.push(Event { key: Reverse((time, self.sequence)), what });
        self.sequence += 1;
    }

    pub fn start(&mut self) {
        for node in 0..self.nodes.len() {
            if let Kind::Host(host) = &self.nodes[node]
                && let Some(source) = host.source
            {
                let start = source.start;
                self.at(start, What::Wake { node, port: 0 });
            }
        }
    }

    pub fn run_until(&mut self, end: Time) {
        while self.events.peek().is_some_and(|event| event.key.0.0 <= end) {
            let Some(Event { key: Reverse((time, _)), what }) = self.events.pop() else { break };
            self.now = time;
            match what {
                What::Arrive { node, port, item } => self.arrive(node, port, item),
                What::Free { node, port } => {
                    self.lines[node][port].busy = false;
                    self.kick(node, port);
                }
                What::Wake { node, port } => self.kick(node, port),
                What::Deadline { node } => {
                    self.due[node] = Time::MAX;
                    self.the_switch(node).handle_deadline(time);
                    self.settle(node);
                }
            }
        }
        self.now = end;
    }

    fn arrive(&mut self, node: usize, port: usize, item: Item) {
        let (now, priority) = (self.now, self.priority);
        match (&mut self.nodes[node], item) {
            (Kind::Host(host), Item::Pfc(frame)) => {
                host.rx.handle_pfc(now, &frame);
                let free = host.rx.free_at(now, priority);
                if free != Time::MAX {
                    self.at(free, What::Wake { node, port });
                }
            }
            (Kind::Host(_), Item::Data(pkt)) => {
                self.delivered[usize::from(pkt.flow)] += u64::from(pkt.bytes);
                self.last_progress = now;
            }
            (Kind::Switch(switch), Item::Pfc(frame)) => {
                switch.handle_pfc(now, Port(port as u16), &frame);
                self.settle(node);
            }
            (Kind::Switch(switch), Item::Data(mut pkt)) => {
                if pkt.hops == 0 {
                    self.expired += 1;
                    self.last_progress = now;
                    return;
                }
                pkt.hops -= 1;
                let out = self.routes[node][usize::from(pkt.flow)];
                if let Admit::Dropped { reason, .. } =
                    switch.admit(now, Port(port as u16), Port(out), priority, pkt)
                {
                    self.drops.push(reason);
                }
                self.settle(node);
                self.kick(node, usize::from(out));
            }
        }
    }

    /// Sends what a switch has to say, and notes when it must be asked again.
    fn settle(&mut self, node: usize) {
        while let Some((port, frame)) = self.the_switch(node).poll_pfc() {
            self.lines[node][port.index()].pfc.push_back(frame);
            self.kick(node, port.index());
        }
        while let Some(port) = self.the_switch(node).poll_ready() {
            self.kick(node, port.index());
        }
        if let Some(deadline) = self.the_switch(node).next_deadline() {
            let deadline = deadline.max(self.now);
            if deadline < self.due[node] {
                self.due[node] = deadline;
                self.at(deadline, What::Deadline { node });
            }
        }
    }

    fn kick(&mut self, node: usize, port: usize) {
        if self.lines[node][port].busy {
            return;
        }
        let (now, priority) = (self.now, self.priority);
        let (item, bytes) = if let Some(frame) = self.lines[node][port].pfc.pop_front() {
            (Item::Pfc(frame), PFC_BYTES)
        } else {
            match &mut self.nodes[node] {
                Kind::Switch(switch) => {
                    let Some(departure) = switch.dequeue(now, Port(port as u16), &mut no_draw) else {
                        return;
                    };
                    (Item::Data(departure.frame), u64::from(departure.frame.bytes))
                }
                Kind::Host(host) => {
                    let Some(source) = &mut host.source else { return };
                    if source.count == 0 || host.rx.is_paused(now, priority) {
                        return;
                    }
                    if host.next > now {
                        let next = host.next;
                        self.at(next, What::Wake { node, port });
                        return;
                    }
                    source.count -= 1;
                    host.next = now.max(host.next + source.interval);
                    let pkt = Pkt { flow: source.flow, hops: source.hops, ..Pkt::new(0, source.bytes) };
                    (Item::Data(pkt), u64::from(pkt.bytes))
                }
            }
        };
        let line = &mut self.lines[node][port];
        line.busy = true;
        let done = now + line.rate.span_of(bytes);
        let (peer, peer_port, arrival) = (line.peer, line.peer_port, done + line.delay);
        self.at(done, What::Free { node, port });
        self.at(arrival, What::Arrive { node: peer, port: peer_port, item });
        if let Kind::Switch(_) = self.nodes[node] {
            self.settle(node);
        }
    }
}
