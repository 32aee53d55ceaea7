//! A link, a queue and N senders: the smallest network in which a controller can be held to theory.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use weir_congestion::{
    AckEvent, Control, ControlParams, Controller, IntHop, NotificationPoint, NpParams, RedParams,
};
use weir_units::{Rate, Span, Time};

/// Bytes of a packet, headers and all.
pub const PACKET: u64 = 1000;

pub struct Link {
    pub senders: usize,
    /// Of the link.
    pub rate: Rate,
    /// Of each sender's line.
    pub line: Rate,
    /// From the sender to the queue.
    pub forth: Span,
    /// From the queue to the receiver and back to the sender.
    pub back: Span,
    pub red: Option<RedParams>,
    /// CNPs; `None`: an acknowledgement of a marked packet is a CNP, as in the ns-3 HPCC simulator.
    pub np: Option<NpParams>,
    pub control: ControlParams,
    /// When senders start, apart.
    pub stagger: Span,
}

/// What was seen after the warm-up.
#[derive(Debug)]
pub struct Seen {
    /// Mean of the queue over time, the packet on the wire included, bytes.
    pub queue: f64,
    pub queue_deviation: f64,
    pub peak: u64,
    /// Share of the link's rate.
    pub utilisation: f64,
    /// Share of packets marked.
    pub marked: f64,
    /// CNPs a second of one sender.
    pub cnps: f64,
    pub jain: f64,
    /// Mean round trip.
    pub rtt: Span,
    pub controls: Vec<Control>,
}

enum Event {
    Wake(usize),
    Arrive(usize, Time),
    Serve,
    Ack(usize, Ack),
    Cnp(usize),
    NpDue(usize),
}

struct Ack {
    sent: Time,
    marked: bool,
    hop: IntHop,
}

struct Entry(Time, u64, Event);

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        (self.0, self.1) == (other.0, other.1)
    }
}
impl Eq for Entry {}
impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0, self.1).cmp(&(other.0, other.1))
    }
}

struct Sender {
    control: Control,
    free_at: Time,
    in_flight: u64,
    delivered: u64,
    waking: bool,
    np: NotificationPoint,
    cnps: u64,
}

struct Run {
    events: BinaryHeap<Reverse<Entry>>,
    count: u64,
}

impl Run {
    fn push(&mut self, at: Time, event: Event) {
        self.count += 1;
        self.events.push(Reverse(Entry(at, self.count, event)));
    }
}

fn draws() -> impl FnMut() -> f64 {
    let mut state = 7u64;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

impl Link {
    pub fn base_rtt(&self) -> Span {
        self.forth + self.back + self.rate.span_of(PACKET)
    }

    /// Run for `warm_up` and then watch for `watch`.
    pub fn run(&self, warm_up: Span, watch: Span) -> Seen {
        let (from, end) = (Time::ZERO + warm_up, Time::ZERO + warm_up + watch);
        let mut run = Run { events: BinaryHeap::new(), count: 0 };
        let mut senders: Vec<Sender> = (0..self.senders)
            .map(|i| Sender {
                control: self.control.build(self.line, Time::ZERO, self.base_rtt()),
                free_at: Time::ZERO + self.stagger * i as u64,
                in_flight: 0,
                delivered: 0,
                waking: false,
                np: NotificationPoint::default(),
                cnps: 0,
            })
            .collect();
        let mut queue: VecDeque<(usize, Time)> = VecDeque::new();
        let mut draw = draws();
        let (mut busy, mut sent_bytes) = (false, 0u64);
        let (mut sum, mut squares, mut packets, mut marks, mut peak) = (0.0, 0.0, 0u64, 0u64, 0u64);
        let mut seen_until = from;
        let (mut rtt_sum, mut rtts) = (0u128, 0u128);
        for (i, sender) in senders.iter_mut().enumerate() {
            sender.waking = true;
            run.push(sender.free_at, Event::Wake(i));
        }
        while let Some(Reverse(Entry(now, _, event))) = run.events.pop() {
            if now >= end {
                break;
            }
            if now > seen_until {
                let (depth, span) = ((queue.len() as u64 * PACKET) as f64, (now - seen_until).as_secs_f64());
                (sum, squares) = (sum + depth * span, squares + depth * depth * span);
                seen_until = now;
            }
            let mut poke = None;
            match event {
                Event::Wake(i) => {
                    senders[i].waking = false;
                    poke = Some(i);
                }
                Event::Arrive(i, sent) => {
                    queue.push_back((i, sent));
                    if now >= from {
                        peak = peak.max(queue.len() as u64 * PACKET);
                    }
                    if !busy {
                        busy = true;
                        run.push(now + self.rate.span_of(PACKET), Event::Serve);
                    }
                }
                // A packet has left: what remains marks it.
                Event::Serve => {
                    let Some((i, sent)) = queue.pop_front() else { unreachable!("served without a packet") };
                    sent_bytes += PACKET;
                    let depth = queue.len() as u64 * PACKET;
                    let marked = self.red.is_some_and(|red| red.mark(depth, &mut draw));
                    let hop = IntHop { at: now, tx_bytes: sent_bytes, queue_bytes: depth, rate: self.rate };
                    if now >= from {
                        packets += 1;
                        marks += u64::from(marked);
                        senders[i].delivered += PACKET;
                    }
                    if let (true, Some(np)) = (marked, &self.np) {
                        let owed = senders[i].np.next_deadline();
                        if senders[i].np.on_ce(now, np) {
                            run.push(now + self.back, Event::Cnp(i));
                        } else if owed.is_none()
                            && let Some(at) = senders[i].np.next_deadline()
                        {
                            run.push(at, Event::NpDue(i));
                        }
                    }
                    run.push(now + self.back, Event::Ack(i, Ack { sent, marked, hop }));
                    if queue.is_empty() {
                        busy = false;
                    } else {
                        run.push(now + self.rate.span_of(PACKET), Event::Serve);
                    }
                }
                Event::NpDue(i) => {
                    if self.np.as_ref().is_some_and(|np| senders[i].np.handle_deadline(now, np)) {
                        run.push(now + self.back, Event::Cnp(i));
                    }
                }
                Event::Cnp(i) => {
                    senders[i].control.on_cnp(now);
                    senders[i].cnps += u64::from(now >= from);
                }
                Event::Ack(i, ack) => {
                    let sender = &mut senders[i];
                    sender.in_flight -= PACKET;
                    if self.np.is_none() && ack.marked {
                        sender.control.on_cnp(now);
                    }
                    let hop = [ack.hop];
                    sender.control.on_ack(
                        now,
                        &AckEvent {
                            acked_bytes: PACKET,
                            in_flight_bytes: sender.in_flight,
                            ecn_echo: ack.marked,
                            rtt: Some(now - ack.sent),
                            telemetry: &hop,
                        },
                    );
                    if now >= from {
                        rtt_sum += u128::from((now - ack.sent).as_ps());
                        rtts += 1;
                    }
                    poke = Some(i);
                }
            }
            if let Some(i) = poke {
                self.send(&mut run, &mut senders[i], i, now);
            }
        }
        let shares: Vec<f64> = senders.iter().map(|sender| sender.delivered as f64).collect();
        let total: f64 = shares.iter().sum();
        let seconds = watch.as_secs_f64();
        let mean = sum / seconds;
        Seen {
            queue: mean,
            queue_deviation: (squares / seconds - mean * mean).max(0.0).sqrt(),
            peak,
            utilisation: total * 8.0 / seconds / self.rate.as_bps() as f64,
            marked: marks as f64 / packets.max(1) as f64,
            cnps: senders.iter().map(|sender| sender.cnps as f64).sum::<f64>()
                / seconds
                / self.senders as f64,
            jain: total * total / (shares.len() as f64 * shares.iter().map(|x| x * x).sum::<f64>()),
            rtt: Span::from_ps((rtt_sum / rtts.max(1)) as u64),
            controls: senders.into_iter().map(|sender| sender.control).collect(),
        }
    }

    /// Send what pacing and window allow; else wake when the pacing does.
    fn send(&self, run: &mut Run, sender: &mut Sender, i: usize, now: Time) {
        sender.control.advance(now);
        while sender.in_flight + PACKET <= sender.control.window_bytes().max(PACKET) {
            if sender.free_at > now {
                if !sender.waking {
                    sender.waking = true;
                    run.push(sender.free_at, Event::Wake(i));
                }
                return;
            }
            sender.in_flight += PACKET;
            sender.control.on_sent(now, PACKET as u32);
            sender.free_at = now + sender.control.rate().span_of(PACKET);
            run.push(now + self.forth, Event::Arrive(i, now));
        }
    }
}
