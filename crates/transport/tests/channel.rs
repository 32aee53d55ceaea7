//! Two queue pairs over a channel that loses, repeats, delays and reorders, drawn from a seed: every byte posted arrives
//! once, in order, intact, or its work request completes in error; every signalled request completes once; nothing hangs.

mod common;

use common::{Pair, Rng, config, connected};
use weir_transport::*;
use weir_units::Span;

/// What a seed draws.
#[derive(Debug)]
struct Case {
    recovery: Recovery,
    /// Packets in a thousand that are lost, repeated, and held back: each of it.
    trouble: u64,
    /// Receive requests come late.
    late_receives: bool,
}

#[derive(Debug)]
struct Posted {
    id: u64,
    signaled: bool,
    /// Where its bytes must be: side, address, bytes.
    wanted: Option<(usize, u64, Vec<u8>)>,
    /// Length of the receive request that it uses.
    receives: Option<u32>,
}

const AREA: u64 = 100_000;
const COUNTER: u64 = 4 * AREA;

fn fill(bytes: &mut [u8], salt: u64) {
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = (i as u64 * 31 + salt * 7 + (i as u64 >> 8)) as u8;
    }
}

/// Posts requests of all kinds in both directions, into ranges that do not overlap. Gives them by side.
fn post(pair: &mut Pair, rng: &mut Rng, requests: u64) -> [Vec<Posted>; 2] {
    let rkeys = [0, 1].map(|side| {
        fill(&mut pair.envs[side].memory.0[..2 * AREA as usize], side as u64 + 1);
        pair.envs[side].keys.register(0, COUNTER + 64, Access::REMOTE)
    });
    let mut at = [0u64; 2];
    let mut posted = [Vec::new(), Vec::new()];
    for id in 0..requests {
        for side in 0..2 {
            let peer = 1 - side;
            let len = match rng.below(4) {
                0 => 0,
                1 => rng.below(64),
                _ => rng.below(7000),
            };
            // What goes out lies in the first area and arrives in the third; what is read the other way round.
            let from = at[side];
            let to = 2 * AREA + from + side as u64 * AREA;
            let rkey = rkeys[peer];
            let imm = Some(id as u32);
            let (op, local, receives) = match rng.below(7) {
                0 => (SendOp::Send { imm: None }, from, Some(len as u32)),
                1 => (SendOp::Send { imm }, from, Some(len as u32)),
                2 => (SendOp::Write { remote: to, rkey, imm }, from, Some(0)),
                3 => (SendOp::Read { remote: AREA + from, rkey }, to, None),
                4 => (SendOp::FetchAdd { remote: COUNTER, rkey, add: 1 + id }, COUNTER + 8, None),
                _ => (SendOp::Write { remote: to, rkey, imm: None }, from, None),
            };
            let len = if matches!(op, SendOp::FetchAdd { .. }) { 8 } else { len };
            let wanted = match op {
                SendOp::FetchAdd { .. } => None,
                SendOp::Read { .. } => {
                    let bytes = pair.bytes(peer, AREA + from, len as usize).to_vec();
                    Some((side, to, bytes))
                }
                _ => Some((peer, to, pair.bytes(side, from, len as usize).to_vec())),
            };
            let mut wr = SendWr::new(id, op, local, len as u32);
            wr.signaled = rng.chance(700);
            wr.fence = rng.chance(100);
            wr.inline =
                len < 1000 && rng.chance(100) && !matches!(op, SendOp::Read { .. } | SendOp::FetchAdd { .. });
            posted[side].push(Posted { id, signaled: wr.signaled, wanted, receives });
            pair.qps[side].post_send(wr, &mut pair.envs[side]).expect("room");
            at[side] += len;
        }
    }
    posted
}

fn post_receive(pair: &mut Pair, side: usize, posted: &Posted) {
    let Some(len) = posted.receives else { return };
    let to = posted.wanted.as_ref().map_or(0, |(_, to, _)| *to);
    pair.qps[side].post_recv(RecvWr::new(1000 + posted.id, to, len), &mut pair.envs[side]).expect("room");
}

/// Runs one seed. Completes in error only if `may_fail`.
fn run(seed: u64, case: &Case, may_fail: bool) {
    let mut rng = Rng::new(seed);
    let base = QpConfig {
        recovery: case.recovery,
        mtu: [256, 1024, 4096][rng.below(3) as usize],
        ack_every: 1 + rng.below(8) as u32,
        retry_count: if may_fail && case.trouble == 100 { rng.below(3) as u8 } else { 7 },
        rnr_retry: if may_fail && case.trouble == 100 { rng.below(8) as u8 } else { 7 },
        max_rd_atomic: 1 + rng.below(4) as u8,
        max_dest_rd_atomic: 4,
        selective: Selective { rto_low: Span::from_us(40), ..Selective::default() },
        ..config()
    };
    let mut pair = Pair::new(connected(&base), (COUNTER + 64) as usize);
    let posted = post(&mut pair, &mut rng, 12);
    let mut due: Vec<(usize, usize)> = Vec::new();
    for (side, posted) in posted.iter().enumerate() {
        due.extend((0..posted.len()).map(|index| (side, index)));
    }
    due.sort_by_key(|(side, index)| (*index, *side));
    let mut due = due.into_iter();
    if !case.late_receives {
        for (side, index) in due.by_ref() {
            post_receive(&mut pair, 1 - side, &posted[side][index]);
        }
    }
    let mut channel = rng.clone();
    let mut fate = |_: usize, _: &Packet<Vec<u8>>| {
        if channel.chance(case.trouble) {
            return Vec::new();
        }
        let mut late = || match channel.chance(case.trouble) {
            true => Span::from_ns(4000 + channel.below(20_000)),
            false => Span::from_us(4),
        };
        let first = late();
        let second = late();
        if channel.chance(case.trouble) { vec![first, second] } else { vec![first] }
    };
    let end = pair.now + Span::from_s(2);
    loop {
        let busy = pair.step(&mut fate);
        assert!(pair.now < end, "seed {seed} {case:?}: hangs: {:?}", pair.qps);
        if rng.chance(50) || !busy {
            match due.next() {
                Some((side, index)) => post_receive(&mut pair, 1 - side, &posted[side][index]),
                None if !busy => break,
                None => {}
            }
        }
    }
    check(seed, case, may_fail, &mut pair, &posted);
}

fn check(seed: u64, case: &Case, may_fail: bool, pair: &mut Pair, posted: &[Vec<Posted>; 2]) {
    let mut sums = [0u64; 2];
    for side in 0..2 {
        let peer = 1 - side;
        let completions: Vec<Completion> = pair.completions(side);
        let sends: Vec<&Completion> = completions.iter().filter(|c| !c.is_recv()).collect();
        let failed = sends.iter().position(|c| c.status != Status::Success);
        assert!(may_fail || failed.is_none(), "seed {seed} {case:?} side {side}: {sends:?}");
        // Everything that is signalled, or that ended in error, completes once and in order.
        let ids: Vec<u64> = sends.iter().map(|c| c.id).collect();
        let first_bad = failed.map_or(u64::MAX, |at| sends[at].id);
        let expected: Vec<u64> =
            posted[side].iter().filter(|p| p.signaled || p.id >= first_bad).map(|p| p.id).collect();
        assert_eq!(ids, expected, "seed {seed} {case:?} side {side}: {sends:?}");
        if let Some(at) = failed {
            let flushed = sends[at + 1..].iter().all(|c| c.status == Status::Flushed);
            assert!(flushed, "seed {seed} {case:?}: {sends:?}");
        }
        for p in posted[side].iter().filter(|p| p.id < first_bad) {
            if let Some((at, va, bytes)) = &p.wanted {
                let found = pair.bytes(*at, *va, bytes.len());
                assert!(*found == bytes[..], "seed {seed} {case:?} side {side}: bytes of {}", p.id);
            }
        }
        let receives: Vec<&Completion> = completions.iter().filter(|c| c.is_recv()).collect();
        let expected: Vec<u64> =
            posted[peer].iter().filter(|p| p.receives.is_some()).map(|p| 1000 + p.id).collect();
        let ids: Vec<u64> = receives.iter().map(|c| c.id).collect();
        if may_fail {
            assert_eq!(ids, expected[..ids.len()], "seed {seed} {case:?}: {receives:?}");
        } else {
            assert_eq!(ids, expected, "seed {seed} {case:?}: {receives:?}");
        }
        sums[side] =
            pair.bytes(peer, COUNTER, 8).iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    }
    if !may_fail {
        for side in 0..2 {
            let adds = posted[side].iter().filter(|p| p.wanted.is_none()).map(|p| 1 + p.id);
            assert_eq!(sums[side], adds.sum::<u64>(), "seed {seed} {case:?}: each atomic once");
        }
    }
}

const RECOVERIES: [Recovery; 3] = [Recovery::GoBackN, Recovery::GoBack0, Recovery::SelectiveRepeat];

fn all(seeds: std::ops::Range<u64>, trouble: u64, late_receives: bool, may_fail: bool) {
    for recovery in RECOVERIES {
        // Going back to the message's begin at every loss, retries run out: that is its fault.
        let may_fail = may_fail || recovery == Recovery::GoBack0 && trouble >= 50;
        for seed in seeds.clone() {
            run(seed, &Case { recovery, trouble, late_receives }, may_fail);
        }
    }
}

#[test]
fn clean() {
    all(0..100, 0, false, false);
}

#[test]
fn clean_and_not_ready() {
    all(100..200, 0, true, false);
}

#[test]
fn one_percent() {
    all(200..500, 10, true, false);
}

#[test]
fn five_percent() {
    all(500..900, 50, true, false);
}

#[test]
fn ten_percent_and_few_retries() {
    all(1000..1600, 100, true, true);
}
