//! Two queue pairs over a channel that loses, repeats and reorders: every byte arrives once, in order, intact.

use std::collections::BTreeMap;
use weir_congestion::ControlParams;
use weir_transport::*;
use weir_units::{Rate, Span, Time};
use weir_wire::{Psn, Qpn};

struct Rng(u64);
impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let x = self.0 ^ (self.0 >> 33);
        x.wrapping_mul(0xff51afd7ed558ccd) >> 16
    }
    fn chance(&mut self, permille: u64) -> bool {
        self.next() % 1000 < permille
    }
}

fn config(qpn: u32, peer: u32) -> QpConfig {
    QpConfig {
        service: Service::Rc,
        qpn: Qpn::new(qpn),
        peer: Qpn::new(peer),
        mtu: 1024,
        sq_psn: Psn::new(0xff_fff0),
        rq_psn: Psn::new(0xff_fff0),
        ack_every: 4,
        ack_timeout: Span::from_us(67),
        retry_count: 7,
        rnr_retry: 7,
        min_rnr_timer: 1,
        max_rd_atomic: 2,
        recovery: Recovery::GoBackN,
        wire_overhead_bytes: 66,
        control: ControlParams::None,
        line: Rate::from_gbps(100),
        base_rtt: Span::from_us(8),
    }
}

type P = Packet<Vec<u8>>;

fn run(seed: u64, trouble: u64) {
    let mut rng = Rng(seed.wrapping_mul(0x9e3779b97f4a7c15) | 1);
    let mut qps = [Qp::<VecMemory>::new(config(1, 2), Time::ZERO), Qp::new(config(2, 1), Time::ZERO)];
    let mut envs = [Env::<VecMemory>::default(), Env::default()];
    let size = 200_000u64;
    for env in &mut envs {
        env.memory.0 = vec![0; size as usize];
    }
    for (i, byte) in envs[0].memory.0.iter_mut().take(100_000).enumerate() {
        *byte = (i as u64 * 31 + seed) as u8;
    }
    let rkey = envs[1].keys.register(0, size, Access { remote_write: true, remote_read: true });
    // Writes, sends and reads in turn, into and from disjoint ranges.
    let mut at = 0u64;
    let mut wanted = Vec::new();
    let mut recvs = 0;
    for id in 0..12u64 {
        let len = (rng.next() % 7000) as u32;
        let op = match rng.next() % 4 {
            0 => SendOp::Send { imm: None },
            1 => SendOp::Write { remote: at, rkey, imm: Some(id as u32) },
            2 => SendOp::Read { remote: at, rkey },
            _ => SendOp::Write { remote: at, rkey, imm: None },
        };
        match op {
            SendOp::Read { .. } => {
                for i in at..at + u64::from(len) {
                    envs[1].memory.0[i as usize] = (i * 7 + seed) as u8;
                }
                qps[0].post_send(SendWr { id, op, local: 100_000 + at, len, signaled: true }).unwrap();
                wanted.push((0, 100_000 + at, envs[1].memory.0[at as usize..][..len as usize].to_vec()));
            }
            _ => {
                if matches!(op, SendOp::Send { .. } | SendOp::Write { imm: Some(_), .. }) {
                    qps[1].post_recv(RecvWr { id: 1000 + id, local: at, len });
                    recvs += 1;
                }
                qps[0].post_send(SendWr { id, op, local: at, len, signaled: true }).unwrap();
                wanted.push((1, at, envs[0].memory.0[at as usize..][..len as usize].to_vec()));
            }
        }
        at += u64::from(len);
    }
    let mut wire: BTreeMap<(Time, u64), (usize, P)> = BTreeMap::new();
    let mut serial = 0;
    let mut now = Time::ZERO;
    loop {
        for side in 0..2 {
            loop {
                let packet = match qps[side].poll_ack() {
                    Some(packet) => packet,
                    None => match qps[side].poll_data(now, &mut envs[side]) {
                        Some(packet) => packet,
                        None => break,
                    },
                };
                let copies = if rng.chance(trouble) { 0 } else { 1 + u64::from(rng.chance(trouble)) };
                for _ in 0..copies {
                    let late = if rng.chance(trouble) { rng.next() % 20_000 } else { 0 };
                    serial += 1;
                    wire.insert((now + Span::from_ns(4000 + late), serial), (1 - side, packet.clone()));
                }
            }
        }
        let mut next = wire.keys().next().map(|(at, _)| *at);
        for qp in &qps {
            let want = match qp.want(now) {
                Want::At(at) => Some(at),
                _ => None,
            };
            for at in [qp.next_deadline(), want].into_iter().flatten() {
                next = Some(next.map_or(at, |n| n.min(at)));
            }
        }
        let Some(at) = next else { break };
        now = at.max(now);
        assert!(now < Time::from_s(2), "seed {seed}: hangs");
        while let Some(entry) = wire.first_entry().filter(|e| e.key().0 <= now) {
            let (side, packet) = entry.remove();
            qps[side].handle_packet(now, &packet, RxMeta::default(), &mut envs[side]);
        }
        for side in 0..2 {
            qps[side].handle_deadline(now, &mut envs[side]);
        }
    }
    let ids: Vec<u64> = envs[0].completions.iter().map(|c| c.id).collect();
    assert_eq!(ids, (0..12).collect::<Vec<_>>(), "seed {seed}");
    assert!(
        envs[0].completions.iter().all(|c| c.status == Status::Success),
        "seed {seed}: {:?}",
        envs[0].completions
    );
    assert_eq!(envs[1].completions.len(), recvs, "seed {seed}");
    for (side, va, bytes) in wanted {
        assert!(
            envs[side].memory.0[va as usize..][..bytes.len()] == bytes[..],
            "seed {seed}: bytes at {va} of {side}"
        );
    }
}

#[test]
fn intact_over_a_clean_channel() {
    (0..50).for_each(|seed| run(seed, 0));
}

#[test]
fn intact_over_a_bad_channel() {
    (0..500).for_each(|seed| run(seed, 30));
}
