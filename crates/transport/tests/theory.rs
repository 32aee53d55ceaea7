//! Loss recovery against theory, over a pipe of fixed delay and full rate.
//!
//! Go-back-N with loss p and W packets sent from one loss to the return of its NAK: of 1 - p + pW packets sent, 1 - p count
//! (table of the theory notes, T16). Selective repeat: 1 - p. Go-back-0: a message of M packets gets through with
//! (1 - p)^M; with every 256th packet lost and M > 256, never (T15; Zhu et al. and Guo et al. report the livelock with 4 MB
//! messages of 1 KB packets and every 256th lost).

mod common;

use common::{Rng, connected};
use std::collections::VecDeque;
use weir_transport::*;
use weir_units::{Rate, Span, Time};

const MTU: u32 = 1024;
/// A packet from BTH to ICRC. The formulas count packets, so the one RETH of a message is left out of account.
const PACKET_BYTES: u64 = MTU as u64 + 16;
/// 100 ns a packet.
const RATE: Rate = Rate::from_bps(80_000_000 * PACKET_BYTES);
const PACKET: Span = Span::from_ns(100);

struct Outcome {
    /// Share of the pipe's time that delivered packets took.
    goodput: f64,
    delivered_bytes: u64,
    timeouts: u64,
}

/// Sends messages of `message_bytes` for `packets` packet times through a pipe with a round trip of `rtt`; `lost` says of
/// each data packet whether it is lost.
fn pipe(
    recovery: Recovery,
    message_bytes: u32,
    rtt: Span,
    packets: u64,
    mut lost: impl FnMut() -> bool,
) -> Outcome {
    let base = QpConfig {
        recovery,
        mtu: MTU,
        ack_every: 1,
        line: RATE,
        ack_timeout: rtt * 2,
        retry_count: 7,
        selective: Selective { cap_packets: 512, rto_low: rtt * 2, rto_low_packets: 3 },
        ..QpConfig::default()
    };
    let [a, b] = connected(&base);
    let mut env = Env::<NoMemory>::default();
    let rkey = env.keys.register(0, u64::MAX, Access::REMOTE_WRITE);
    let mut now = Time::ZERO;
    let (mut a, mut b) = (Qp::<NoMemory>::new(a, now), Qp::<NoMemory>::new(b, now));
    let (mut forth, mut back) = (VecDeque::new(), VecDeque::new());
    let end = now + PACKET * packets;
    let mut posted = 0;
    loop {
        while a.send_queue_len() < 4 {
            let op = SendOp::Write { remote: 0, rkey, imm: None };
            a.post_send(SendWr::new(posted, op, 0, message_bytes), &mut env).expect("room");
            posted += 1;
        }
        let mut next = [forth.front(), back.front()].into_iter().flatten().map(|(at, _)| *at).min();
        for at in [
            a.next_deadline(),
            match a.want(now) {
                Want::Now => Some(now),
                Want::At(at) => Some(at),
                Want::Nothing => None,
            },
        ] {
            next = [next, at].into_iter().flatten().min();
        }
        now = next.expect("there is always more to send").max(now);
        if now >= end || a.state() != QpState::Rts {
            break;
        }
        while let Some(packet) = due(&mut forth, now) {
            b.handle_packet(now, &packet, RxMeta::default(), &mut env);
            while let Some(ack) = b.poll_ack() {
                back.push_back((now + rtt / 2, ack));
            }
        }
        while let Some(packet) = due(&mut back, now) {
            a.handle_packet(now, &packet, RxMeta::default(), &mut env);
        }
        a.handle_deadline(now, &mut env);
        if let Some(packet) = a.poll_data(now, &mut env)
            && !lost()
        {
            forth.push_back((now + rtt / 2, packet));
        }
        while env.poll(CqId(0)).is_some() {}
    }
    let delivered_bytes = b.counters().delivered_bytes;
    let time = now.saturating_since(Time::ZERO);
    let goodput = (delivered_bytes / u64::from(MTU)) as f64 * PACKET.as_ps() as f64 / time.as_ps() as f64;
    Outcome { goodput, delivered_bytes, timeouts: a.counters().local_ack_timeout_err }
}

/// The next packet that has arrived.
fn due(line: &mut VecDeque<(Time, Packet<()>)>, now: Time) -> Option<Packet<()>> {
    if line.front()?.0 > now {
        return None;
    }
    line.pop_front().map(|(_, packet)| packet)
}

fn random(p: f64, seed: u64) -> impl FnMut() -> bool {
    let mut rng = Rng::new(seed);
    let below = (p * (1u64 << 40) as f64) as u64;
    move || rng.next() & ((1 << 40) - 1) < below
}

/// W = 1 + RTT × C / P = 126 packets.
const RTT: Span = Span::from_ns(12_500);

#[test]
fn go_back_n_goodput() {
    let w = 126.0;
    for (p, packets) in [(1e-4, 4_000_000), (1e-3, 2_000_000), (1.0 / 256.0, 2_000_000), (1e-2, 1_000_000)] {
        let found = pipe(Recovery::GoBackN, 1 << 30, RTT, packets, random(p, 1));
        let theory = (1.0 - p) / (1.0 - p + p * w);
        // A repetition that is lost again costs a timeout instead of a NAK's round trip: two round trips for one, in p of
        // the cases. Sampling: some 400 losses or more, of 126 packet times each.
        let off = (found.goodput / theory - 1.0).abs();
        assert!(
            off < 0.02,
            "p {p}: goodput {:.4}, theory {theory:.4}, {} timeouts",
            found.goodput,
            found.timeouts
        );
    }
}

#[test]
fn selective_repeat_goodput() {
    for p in [1e-3, 1.0 / 256.0, 1e-2] {
        let found = pipe(Recovery::SelectiveRepeat, 1 << 30, RTT, 200_000, random(p, 2));
        // A repetition lost again stalls for a timeout, once in 1/p^2 packets; otherwise only the loss itself is lost.
        let off = found.goodput / (1.0 - p) - 1.0;
        assert!(
            (-0.02..0.002).contains(&off),
            "p {p}: goodput {:.4}, {} timeouts",
            found.goodput,
            found.timeouts
        );
    }
}

/// Every 256th packet lost: a message of more packets never gets through, and nothing else is wrong.
#[test]
fn go_back_0_livelock() {
    let every_256th = || {
        let mut count = 0;
        move || {
            count += 1;
            count % 256 == 0
        }
    };
    let found = pipe(Recovery::GoBack0, 4 << 20, RTT, 300_000, every_256th());
    assert!(found.delivered_bytes < 256 * u64::from(MTU), "no message has been delivered");
    let found = pipe(Recovery::GoBackN, 4 << 20, RTT, 300_000, every_256th());
    // Losses regularly spaced: each round of 256 packets loses the 125 behind the loss, and the loss.
    assert!((found.goodput - 0.5).abs() < 0.03, "{}", found.goodput);
    let found = pipe(Recovery::GoBack0, 100 << 10, RTT, 300_000, every_256th());
    assert!(found.goodput > 0.3, "short messages get through: {}", found.goodput);
}

/// With random losses a message of M packets gets through with (1 - p)^M.
#[test]
fn go_back_0_with_random_losses() {
    let (p, message) = (1.0 / 256.0, 512u32);
    let found = pipe(Recovery::GoBack0, message * MTU, RTT, 4_000_000, random(p, 3));
    let through = (1.0f64 - p).powi(message as i32);
    // Packets for one message: tries cost what was sent until the first loss, geometrically distributed and cut at M, and W
    // packets until its NAK is back.
    let tries = 1.0 / through;
    let until_loss = (1.0 - through) / p;
    let theory = f64::from(message) / (tries * until_loss + (tries - 1.0) * 125.0);
    let off = (found.goodput / theory - 1.0).abs();
    assert!(off < 0.06, "goodput {:.4}, theory {theory:.4}, {} timeouts", found.goodput, found.timeouts);
}
