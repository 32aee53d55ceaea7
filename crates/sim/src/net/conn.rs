//! Connections: a queue pair at each end, made when the first flow of a connection starts and gone when the last has
//! ended and no frame of it is under way.

use super::engine::Engine;
use super::event::Event;
use super::frame::NO_TELEMETRY;
use super::options::SimError;
use super::path::Path;
use super::rng::{Purpose, hash};
use crate::results::{FlowResult, FlowStatus};
use std::collections::VecDeque;
use weir_congestion::ControlParams;
use weir_congestion::NotificationPoint;
use weir_fabric::{FlowSpec, Hop, NodeId, Op, Window};
use weir_switch::ecmp;
use weir_transport::{
    Completion, CqId, NoMemory, PostError, Qp, QpConfig, QpState, RecvWr, Selective, SendOp, SendWr, Status,
};
use weir_units::{Rate, Span, Time};
use weir_wire::Qpn;

/// Longest message that one work request carries; longer flows are several. (IBTA: 2^31 bytes.)
const MOST_MESSAGE_BYTES: u64 = 1 << 30;

/// Where an end stands with the scheduler of its NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// It has nothing to send.
    Nowhere,
    /// In the ring of those that may send.
    Ready,
    /// In the heap of those that the pacer holds back.
    Paced,
}

/// One end of a connection. Side 0 is where the bytes come from.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) qp: Qp<NoMemory>,
    /// The port of its NIC (global number).
    pub(crate) port: u32,
    /// Priority of its data.
    pub(crate) prio: u8,
    pub(crate) place: Place,
    /// Whether it stands among those with an acknowledgement to send.
    pub(crate) ack_queued: bool,
    /// The way to the other end.
    pub(crate) path: Path,
    /// Telemetry of the latest data packet, to go back with the next acknowledgement.
    pub(crate) telemetry: u32,
    /// Time of the earliest timer event that is scheduled and still counts.
    pub(crate) timer_at: Time,
    pub(crate) np: NotificationPoint,
    /// Data packets that came marked.
    pub(crate) marked: u64,
    /// Notifications that arrived.
    pub(crate) cnps: u64,
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Conn {
    pub(crate) ends: [End; 2],
    /// Frames under way, and places in queues of NICs and events, that name this connection.
    pub(crate) holds: u32,
    /// Tells this connection from others that had its slot.
    pub(crate) generation: u32,
    /// All flows have ended: what still arrives is ignored.
    pub(crate) over: bool,
    /// Its number in the scenario's terms; see [`Engine::conn_key`].
    pub(crate) key: u32,
    /// Flows that have started and not ended at the initiator, in order.
    running: VecDeque<u32>,
    /// Flows that have started and not been delivered, with the payload bytes by which they are.
    undelivered: VecDeque<(u32, u64)>,
    posted_bytes: u64,
    /// Counters when the flow before ended, so that each flow gets its share.
    seen: Seen,
    /// Paths that frames may still follow although the connection has a new one.
    retired: Vec<Path>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    sent: u64,
    repeated: u64,
    marked: u64,
    cnps: u64,
    timeouts: u64,
}

impl Conn {
    /// Payload bytes of a flow that have arrived.
    pub(crate) fn delivered_of(&self, flow: u32, bytes: u64) -> u64 {
        let delivered = self.ends[1].qp.counters().delivered_bytes;
        let found = self.undelivered.iter().find(|(id, _)| *id == flow);
        found.map_or(0, |(_, at)| delivered.saturating_sub(at - bytes).min(bytes))
    }

    /// Whether a flow has started and not ended.
    pub(crate) fn is_running(&self, flow: u32) -> bool {
        self.running.contains(&flow)
    }

    fn seen(&self) -> Seen {
        let [source, sink] = &self.ends;
        let sum =
            |get: fn(&weir_transport::Counters) -> u64| get(source.qp.counters()) + get(sink.qp.counters());
        Seen {
            sent: sum(|c| c.sent_packets),
            repeated: sum(|c| c.retransmitted_packets),
            marked: sink.marked,
            cnps: source.cnps,
            timeouts: sum(|c| c.local_ack_timeout_err),
        }
    }
}

/// The queue pair number of an end, and back. Numbers 0 and 1 are reserved (IBTA volume 1, 3.5.3).
pub(crate) fn qpn_of(end: u32) -> Qpn {
    Qpn::new(end + 2)
}

fn end_of(qpn: Qpn) -> u32 {
    qpn.get() - 2
}

impl Engine<'_> {
    /// Flows of one connection share queue pairs unless one reads and the other writes: a read has its initiator at
    /// the other end.
    pub(super) fn conn_key(flow: &FlowSpec) -> u32 {
        flow.connection * 2 + u32::from(flow.op == Op::Read)
    }

    /// A flow starts now.
    pub(super) fn start_flow(&mut self, id: u32) {
        let flow = self.set.flows[id as usize];
        let key = Self::conn_key(&flow);
        self.results[id as usize].start_ps = self.now.as_ps();
        let slot = match self.conn_of[key as usize] {
            u32::MAX => match self.open(&flow, key) {
                Ok(slot) => slot,
                Err(error) => {
                    // The network is cut: the flow fails as it would on a real host that finds no route.
                    self.results[id as usize].status = FlowStatus::Failed(error.to_string());
                    self.flow_over(key);
                    return;
                }
            },
            slot => slot,
        };
        let Some(conn) = self.conns.get_mut(slot) else { return };
        let [source, sink] = &mut conn.ends;
        let mut left = flow.bytes;
        loop {
            let len = left.min(MOST_MESSAGE_BYTES) as u32;
            left -= u64::from(len);
            let (initiator, op) = match flow.op {
                Op::Write => (&mut *source, SendOp::Write { remote: 0, rkey: self.rkey, imm: None }),
                Op::Read => (&mut *sink, SendOp::Read { remote: 0, rkey: self.rkey }),
                Op::Send => {
                    // One in error flushes it, and the flow fails below.
                    let _ = sink.qp.post_recv(RecvWr::new(u64::from(id), 0, len), &mut self.env);
                    (&mut *source, SendOp::Send { imm: None })
                }
            };
            let wr = SendWr { signaled: left == 0, ..SendWr::new(u64::from(id), op, 0, len) };
            let posted = match initiator.qp.state() {
                QpState::Error => Err(PostError::State { found: QpState::Error }),
                _ => initiator.qp.post_send(wr, &mut self.env),
            };
            if let Err(error) = posted {
                self.results[id as usize].status = FlowStatus::Failed(error.to_string());
                self.flow_over(key);
                return;
            }
            if left == 0 {
                break;
            }
        }
        conn.posted_bytes += flow.bytes;
        conn.running.push_back(id);
        conn.undelivered.push_back((id, conn.posted_bytes));
        self.results[id as usize].status = FlowStatus::Unfinished;
        self.results[id as usize].ideal_ps = self.ideal(slot, &flow).as_ps();
        self.running_flows += 1;
        self.peak_flows = self.peak_flows.max(self.running_flows);
        self.settle(slot * 2 + u32::from(flow.op == Op::Read));
    }

    /// Makes the queue pairs of a connection.
    fn open(&mut self, flow: &FlowSpec, key: u32) -> Result<u32, SimError> {
        let forth = self.find_path(flow.src, flow.dst, key);
        let back = self.find_path(flow.dst, flow.src, key);
        let (Some((port, forth)), Some((peer_port, back))) = (forth, back) else {
            let name = |node: NodeId| self.topology.node(node).name.clone();
            return Err(SimError::NoPath { flow: flow.id, from: name(flow.src), to: name(flow.dst) });
        };
        let slot = self.conns.vacant();
        let line = self.lines[port as usize].rate;
        let peer_line = self.lines[peer_port as usize].rate;
        let base_rtt = self.base_rtt(port, &forth, peer_port, &back);
        let slowest = weir_fabric::bottleneck(&self.hops(port, &forth));
        let window_bytes = match self.scenario.nic.window {
            Window::None => u64::MAX,
            Window::Bdp => slowest.bytes_in(base_rtt).max(1),
            Window::Bytes(bytes) => bytes.get(),
        };
        let prio = self.prio_of_class(flow.class);
        let mut end = |side: u32, port: u32, rate, path: &[u16]| {
            let nic = &self.scenario.nic;
            let control = self.scenario.control_params(rate);
            let config = QpConfig {
                qpn: qpn_of(slot * 2 + side),
                peer: qpn_of(slot * 2 + 1 - side),
                mtu: self.mtu,
                window_bytes,
                ack_every: nic.ack_every,
                ack_timeout: nic.retransmission_timeout,
                retry_count: nic.retry_count,
                rnr_retry: 7,
                min_rnr_timer: 1,
                recovery: self.recovery,
                selective: self.selective(line.max(peer_line), base_rtt),
                ecn_echo: matches!(control, ControlParams::Dctcp(_)),
                wire_overhead_bytes: self.wire_overhead,
                control,
                line: rate,
                base_rtt,
                ..QpConfig::default()
            };
            End {
                qp: Qp::new(config, self.now),
                port,
                prio,
                place: Place::Nowhere,
                ack_queued: false,
                path: self.paths.add(path),
                telemetry: NO_TELEMETRY,
                timer_at: Time::MAX,
                np: NotificationPoint::default(),
                marked: 0,
                cnps: 0,
            }
        };
        let ends = [end(0, port, line, &forth), end(1, peer_port, peer_line, &back)];
        self.generation = self.generation.wrapping_add(1);
        self.conns.put(
            slot,
            Conn {
                ends,
                holds: 0,
                generation: self.generation,
                over: false,
                key,
                running: VecDeque::new(),
                undelivered: VecDeque::new(),
                posted_bytes: 0,
                seen: Seen::default(),
                retired: Vec::new(),
            },
        );
        self.conn_of[key as usize] = slot;
        Ok(slot)
    }

    /// UDP source port of a connection, from the range that annex A17 suggests for entropy.
    pub(super) fn source_port(&self, key: u32) -> u16 {
        0xc000 | (hash(self.seed, Purpose::Entropy, u64::from(key), 0) & 0x3fff) as u16
    }

    /// The NIC port and the output ports of the switches from one host to another: by hash of what would be the
    /// 5-tuple, with a seed for each switch.
    fn find_path(&self, src: NodeId, dst: NodeId, key: u32) -> Option<(u32, Vec<u16>)> {
        let words = [src.0, dst.0, u32::from(self.source_port(key)) | 4791 << 16];
        let path = self.routes.path(self.topology, src, dst, |node, _| {
            ecmp::murmur3(words, hash(self.seed, Purpose::Spray, u64::from(node.0), 0) as u32) as usize
        })?;
        let (first, rest) = path.split_first()?;
        let port = self.topology.port_index(first.node, first.port) as u32;
        Some((port, rest.iter().map(|end| end.port).collect()))
    }

    /// The links from a NIC port along a path.
    fn hops(&self, port: u32, path: &[u16]) -> Vec<Hop> {
        let mut hops = Vec::with_capacity(path.len() + 1);
        let mut port = port;
        for out in path.iter().map(Some).chain([None]) {
            let line = &self.lines[port as usize];
            hops.push(Hop { rate: line.rate, delay: line.delay });
            let peer = &self.lines[line.peer as usize];
            match out {
                Some(out) if peer.switch => {
                    port = self.switches[peer.node as usize].first_port + u32::from(*out);
                }
                _ => break,
            }
        }
        hops
    }

    fn base_rtt(&self, port: u32, forth: &[u16], peer_port: u32, back: &[u16]) -> Span {
        let forth = weir_fabric::ideal_time(&self.hops(port, forth), u64::from(self.mtu), &self.framing);
        forth + self.ack_time(&self.hops(peer_port, back))
    }

    /// Selective repeat as in IRN (SIGCOMM 2018, 4.1): in flight a bandwidth-delay product, a lost tail found after 100 us
    /// or a few round trips.
    fn selective(&self, rate: Rate, base_rtt: Span) -> Selective {
        let cap = rate.bytes_in(base_rtt).div_ceil(u64::from(self.mtu)).clamp(1, 1 << 20);
        let rto_low = Span::from_us(100).max(base_rtt * 4);
        Selective { cap_packets: cap as u32, rto_low, ..Selective::default() }
    }

    /// How long an acknowledgement takes over these links.
    fn ack_time(&self, hops: &[Hop]) -> Span {
        let bytes = u64::from(super::line::PREAMBLE_BYTES) + u64::from(super::frame::ACK_FRAME_BYTES);
        hops.iter().fold(Span::ZERO, |sum, hop| sum + hop.rate.span_of(bytes) + hop.delay)
    }

    /// The completion time of a flow that is alone in the network: the last byte at the receiver and its
    /// acknowledgement back at the sender. For a read: the request there and the last byte back.
    fn ideal(&self, slot: u32, flow: &FlowSpec) -> Span {
        let Some(conn) = self.conns.get(slot) else { return Span::ZERO };
        let [source, sink] = &conn.ends;
        let ports =
            |path: Path| (path.start..path.start + u32::from(path.hops)).map(|at| self.paths.port(at));
        let forth: Vec<u16> = ports(source.path).collect();
        let back: Vec<u16> = ports(sink.path).collect();
        let (forth, back) = (self.hops(source.port, &forth), self.hops(sink.port, &back));
        // A payload is padded to four bytes.
        let bytes = flow.bytes.next_multiple_of(4);
        let mut framing = self.framing;
        match flow.op {
            Op::Write => weir_fabric::ideal_time(&forth, bytes, &framing) + self.ack_time(&back),
            Op::Send => {
                framing.first_extra_bytes = 0;
                weir_fabric::ideal_time(&forth, bytes, &framing) + self.ack_time(&back)
            }
            Op::Read => {
                // First and last response carry an AETH of 4 bytes; the last one is 4 bytes longer than reckoned.
                framing.first_extra_bytes = 4;
                let request = weir_fabric::ideal_time(
                    &back,
                    16,
                    &weir_fabric::Framing { first_extra_bytes: 0, ..framing },
                );
                request + weir_fabric::ideal_time(&forth, bytes, &framing)
            }
        }
    }

    /// Looks at an end after something happened to it: acknowledgements to send, data to send, timers.
    #[inline]
    pub(super) fn settle(&mut self, end: u32) {
        let Some(conn) = self.conns.get_mut(end >> 1) else { return };
        let e = &mut conn.ends[(end & 1) as usize];
        let port = e.port;
        let nic = &mut self.nics[port as usize].nic;
        let mut kick = false;
        if !e.ack_queued && e.qp.has_ack() {
            e.ack_queued = true;
            conn.holds += 1;
            nic.push_urgent(self.ack_prio.unwrap_or(e.prio), super::nic::Urgent::Ack(end));
            kick = true;
        }
        if e.place == Place::Nowhere {
            match e.qp.want(self.now) {
                weir_transport::Want::Nothing => {}
                weir_transport::Want::Now => {
                    e.place = Place::Ready;
                    conn.holds += 1;
                    nic.push_ready(e.prio, end);
                    kick = true;
                }
                weir_transport::Want::At(at) => {
                    e.place = Place::Paced;
                    conn.holds += 1;
                    nic.push_paced(e.prio, end, at);
                    kick = true;
                }
            }
        }
        if let Some(at) = e.qp.next_deadline()
            && at < e.timer_at
        {
            e.timer_at = at;
            let generation = conn.generation;
            self.wheel.push(at.as_ps(), Event::QpTimer { end, generation });
        }
        if kick {
            self.nic_kick(port);
        }
    }

    /// A timer of an end may have run out.
    pub(super) fn qp_timer(&mut self, end: u32, generation: u32) {
        let Some(conn) = self.conns.get_mut(end >> 1) else { return };
        if conn.generation != generation || conn.over {
            return;
        }
        let e = &mut conn.ends[(end & 1) as usize];
        if e.timer_at > self.now {
            return;
        }
        e.timer_at = Time::MAX;
        e.qp.handle_deadline(self.now, &mut self.env);
        self.completions();
        self.settle(end);
    }

    /// Deals with what queue pairs have completed.
    #[inline]
    pub(super) fn completions(&mut self) {
        while let Some(completion) = self.env.poll(CqId(0)) {
            self.completed(completion);
        }
    }

    fn completed(&mut self, completion: Completion) {
        if completion.is_recv() {
            return;
        }
        let id = completion.id as u32;
        let slot = end_of(completion.qpn) >> 1;
        let Some(conn) = self.conns.get_mut(slot) else { return };
        if conn.running.front() != Some(&id) {
            return; // a part of a flow that has failed already
        }
        conn.running.pop_front();
        let key = conn.key;
        let (before, seen) = (conn.seen, conn.seen());
        conn.seen = seen;
        let result = &mut self.results[id as usize];
        account(result, before, seen);
        match completion.status {
            Status::Success => {
                let fct = self.now.as_ps() - result.start_ps;
                result.status = FlowStatus::Completed;
                result.fct_ps = Some(fct);
                result.slowdown = Some((fct as f64 / result.ideal_ps.max(1) as f64).max(1.0));
            }
            status => {
                result.status = FlowStatus::Failed(format!("{status:?}"));
                result.delivered_bytes = conn.delivered_of(id, result.bytes);
            }
        }
        self.running_flows -= 1;
        self.delivered(slot);
        self.flow_over(key);
    }

    /// Flows of a connection whose last byte has arrived.
    #[inline]
    pub(super) fn delivered(&mut self, slot: u32) {
        loop {
            let Some(conn) = self.conns.get_mut(slot) else { return };
            let bytes = conn.ends[1].qp.counters().delivered_bytes;
            let Some((flow, _)) = conn.undelivered.front().copied().filter(|(_, at)| bytes >= *at) else {
                return;
            };
            conn.undelivered.pop_front();
            let result = &mut self.results[flow as usize];
            result.delivered_ps = Some(self.now.as_ps());
            result.delivered_bytes = result.bytes;
            self.last_delivery = self.now;
            let now = self.now;
            let (gates, set, wheel) = (&mut self.dependencies, self.set, &mut self.wheel);
            gates.delivered(flow, |next| {
                if let weir_fabric::Start::After { delay, .. } = set.flows[next as usize].start {
                    wheel.push((now.saturating_add(delay)).as_ps(), Event::FlowReady(next));
                }
            });
        }
    }

    /// A flow has ended, well or not.
    fn flow_over(&mut self, key: u32) {
        self.flows_over += 1;
        self.last_end = self.now;
        let left = &mut self.conn_flows[key as usize];
        *left -= 1;
        if *left > 0 {
            return;
        }
        let slot = self.conn_of[key as usize];
        if let Some(conn) = self.conns.get_mut(slot) {
            conn.over = true;
            self.conn_of[key as usize] = u32::MAX;
            self.maybe_close(slot);
        }
    }

    /// A frame or a place in a queue names a connection.
    #[inline]
    pub(super) fn hold(&mut self, end: u32) {
        if let Some(conn) = self.conns.get_mut(end >> 1) {
            conn.holds += 1;
        }
    }

    /// One that did has gone.
    #[inline]
    pub(super) fn unhold(&mut self, end: u32) {
        let slot = end >> 1;
        let Some(conn) = self.conns.get_mut(slot) else { return };
        conn.holds -= 1;
        if conn.over && conn.holds == 0 {
            self.maybe_close(slot);
        }
    }

    /// Frees a connection that is over and that nothing names.
    fn maybe_close(&mut self, slot: u32) {
        let Some(conn) = self.conns.get(slot) else { return };
        if !conn.over || conn.holds > 0 {
            return;
        }
        if let Some(mut conn) = self.conns.take(slot) {
            for path in conn.retired.drain(..).chain(conn.ends.iter().map(|e| e.path)) {
                self.paths.release(path);
            }
            for end in &conn.ends {
                self.add_host_counters(end);
                if end.telemetry != NO_TELEMETRY {
                    self.telemetry.remove(end.telemetry);
                }
            }
        }
    }

    /// Adds what a queue pair counted to its host.
    pub(super) fn add_host_counters(&mut self, end: &End) {
        let host = self.lines[end.port as usize].node;
        let counters = end.qp.counters();
        let host = &mut self.hosts[host as usize].counters;
        host.np_ecn_marked_roce_packets += end.marked;
        host.rp_cnp_handled += counters.cnp_handled;
        host.out_of_sequence += counters.out_of_sequence;
        host.duplicate_request += counters.duplicate_request;
        host.packet_seq_err += counters.packet_seq_err;
        host.local_ack_timeout_err += counters.local_ack_timeout_err;
        host.rnr_nak_retry_err += counters.rnr_nak;
    }

    /// New paths for all connections after links went down or came back. A connection that has no way keeps its old one:
    /// its frames are lost until a link comes back or its retries are used up.
    pub(super) fn reroute_all(&mut self) {
        for slot in 0..self.conns.slots() {
            let Some(conn) = self.conns.get(slot) else { continue };
            let (key, ends) = (conn.key, [conn.ends[0].port, conn.ends[1].port]);
            let nodes = ends.map(|port| NodeId(self.lines[port as usize].node));
            for side in 0..2usize {
                let Some((port, path)) = self.find_path(nodes[side], nodes[1 - side], key) else { continue };
                let path = self.paths.add(&path);
                let Some(conn) = self.conns.get_mut(slot) else { continue };
                let e = &mut conn.ends[side];
                conn.retired.push(std::mem::replace(&mut e.path, path));
                // A NIC with several ports moves the queue pair when its turn at the old port comes.
                e.port = port;
            }
            self.settle(slot * 2);
            self.settle(slot * 2 + 1);
        }
    }

    /// Flows that the run leaves unfinished.
    pub(super) fn account_unfinished(&mut self) {
        for slot in 0..self.conns.slots() {
            let Some(conn) = self.conns.get_mut(slot) else { continue };
            let (before, seen) = (conn.seen, conn.seen());
            conn.seen = seen;
            if let Some(id) = conn.running.front() {
                account(&mut self.results[*id as usize], before, seen);
            }
            for (id, _) in &conn.undelivered {
                let result = &mut self.results[*id as usize];
                result.delivered_bytes = conn.delivered_of(*id, result.bytes);
            }
            let Some(conn) = self.conns.take(slot) else { continue };
            for end in &conn.ends {
                self.add_host_counters(end);
            }
        }
    }
}

fn account(result: &mut FlowResult, before: Seen, seen: Seen) {
    result.sent_packets = seen.sent - before.sent;
    result.retransmitted_packets = seen.repeated - before.repeated;
    result.marked_packets = seen.marked - before.marked;
    result.cnps = seen.cnps - before.cnps;
    result.timeouts = seen.timeouts - before.timeouts;
}

/// All connections, by slot.
#[derive(Debug, Default)]
pub(crate) struct Conns {
    slots: Vec<Option<Box<Conn>>>,
    free: Vec<u32>,
}

impl Conns {
    /// The slot that the next connection will have.
    fn vacant(&mut self) -> u32 {
        match self.free.last() {
            Some(slot) => *slot,
            None => {
                self.slots.push(None);
                self.free.push((self.slots.len() - 1) as u32);
                (self.slots.len() - 1) as u32
            }
        }
    }

    fn put(&mut self, slot: u32, conn: Conn) {
        if self.free.last() == Some(&slot) {
            self.free.pop();
        }
        self.slots[slot as usize] = Some(Box::new(conn));
    }

    fn take(&mut self, slot: u32) -> Option<Box<Conn>> {
        let conn = self.slots.get_mut(slot as usize)?.take()?;
        self.free.push(slot);
        Some(conn)
    }

    #[inline]
    pub(crate) fn get(&self, slot: u32) -> Option<&Conn> {
        self.slots.get(slot as usize)?.as_deref()
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, slot: u32) -> Option<&mut Conn> {
        self.slots.get_mut(slot as usize)?.as_deref_mut()
    }

    pub(crate) fn slots(&self) -> u32 {
        self.slots.len() as u32
    }
}
