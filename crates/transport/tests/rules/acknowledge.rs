//! Segmentation, sequence numbers and acknowledgements.

use super::*;
use weir_wire::Psn;

/// 9.7.3, 9.7.4: a message of more than one MTU is first, middles, last; of one or less, only. First and middle packets
/// are full.
#[test]
fn messages_are_cut_by_the_mtu() {
    for (len, codes, last) in [
        (0, vec![4], 0),
        (1, vec![4], 1),
        (1024, vec![4], 1024),
        (1025, vec![0, 2], 1),
        (2048, vec![0, 2], 1024),
        (3000, vec![0, 1, 2], 952),
    ] {
        let (mut pair, _) = pair();
        receive(&mut pair, 1, 0, 4096);
        send(&mut pair, 1, SEND, 0, len);
        pair.run_clean();
        let codes: Vec<(u8, i32)> = codes.into_iter().zip(0..).collect();
        assert_eq!(sent(&pair, 0), codes, "{len} bytes");
        let sizes: Vec<u16> =
            pair.log.iter().filter(|l| l.1 == 0).map(|(_, _, packet)| packet.payload_bytes).collect();
        assert_eq!(*sizes.last().unwrap(), last);
        assert!(sizes[..sizes.len() - 1].iter().all(|bytes| *bytes == 1024));
        assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)]);
        assert_eq!(pair.completions(1)[0].bytes, len);
    }
}

/// 9.3.3, table 38: a WRITE's first packet alone has the RETH, with the length of the whole message; only the last has
/// immediate data, and its opcode says so.
#[test]
fn a_write_has_one_reth_and_immediate_data_last() {
    let (mut pair, rkey) = pair();
    receive(&mut pair, 1, 0, 0);
    send(&mut pair, 1, SendOp::Write { remote: 8000, rkey, imm: Some(0xabcd) }, 0, 2500);
    pair.run_clean();
    assert_eq!(sent(&pair, 0), [(6, 0), (7, 1), (9, 2)]);
    let reths: Vec<Ext> = pair.log.iter().filter(|l| l.1 == 0).map(|(_, _, packet)| packet.ext).collect();
    assert_eq!(reths, [Ext::Reth { va: 8000, rkey, len: 2500 }, Ext::None, Ext::None]);
    let completion = pair.completions(1)[0];
    assert_eq!((completion.op, completion.bytes, completion.imm), (WcOp::RecvWriteImm, 2500, Some(0xabcd)));
    let bytes = pair.bytes(0, 0, 2500).to_vec();
    assert_eq!(pair.bytes(1, 8000, 2500), bytes);
}

/// 9.7.5: one acknowledgement stands for all packets before it. Asked for are every n-th packet and the last.
#[test]
fn acknowledgements_are_coalesced() {
    let (mut pair, rkey) = pair_of(QpConfig { ack_every: 4, ..config() });
    send(&mut pair, 1, write(rkey, 0), 0, 10 * 1024);
    pair.run_clean();
    let asked: Vec<i32> = pair
        .log
        .iter()
        .filter(|(_, side, packet)| *side == 0 && packet.ack_req())
        .map(|(_, _, packet)| packet.psn.since(Psn::new(0xff_fff0)))
        .collect();
    assert_eq!(asked, [3, 7, 9]);
    assert_eq!(answers(&pair), [(Syndrome::ACK, 3, 0), (Syndrome::ACK, 7, 0), (Syndrome::ACK, 9, 1)]);
}

/// 9.7.5: acknowledgements that wait to be sent become one.
#[test]
fn an_acknowledgement_that_waits_is_replaced() {
    let (mut pair, rkey) = pair_of(QpConfig { ack_every: 1, ..config() });
    send(&mut pair, 1, write(rkey, 0), 0, 3 * 1024);
    let mut last = None;
    for _ in 0..3 {
        pair.now = match pair.qps[0].want(pair.now) {
            Want::At(at) => at,
            _ => pair.now,
        };
        let packet = pair.qps[0].poll_data(pair.now, &mut pair.envs[0]).expect("a packet");
        pair.qps[1].handle_packet(pair.now, &packet, RxMeta::default(), &mut pair.envs[1]);
        last = Some(packet.psn);
    }
    let ack = pair.qps[1].poll_ack().expect("one");
    assert_eq!((Some(ack.psn), pair.qps[1].poll_ack()), (last, None));
}

/// 9.7.1: sequence numbers have 24 bits and wrap.
#[test]
fn sequence_numbers_wrap() {
    let (mut pair, rkey) = pair_of(QpConfig { sq_psn: Psn::new(0xff_ffff), ..config() });
    send(&mut pair, 1, write(rkey, 0), 0, 3 * 1024);
    pair.run_clean();
    let psns: Vec<u32> = pair.log.iter().filter(|l| l.1 == 0).map(|(_, _, p)| p.psn.get()).collect();
    assert_eq!(psns, [0xff_ffff, 0, 1]);
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)]);
}

/// A queue may hold more packets than 2^24: what is compared modulo 2^24 is only what is in flight (9.7.4).
#[test]
fn a_queue_may_hold_more_packets_than_sequence_numbers() {
    let mut env = Env::<NoMemory>::default();
    let rkey = env.keys.register(0, u64::MAX, Access::REMOTE);
    let base = QpConfig { mtu: 4096, ack_every: 64, ..config() };
    let [a, b] = connected(&base);
    let mut now = weir_units::Time::ZERO;
    let (mut a, mut b) = (Qp::<NoMemory>::new(a, now), Qp::<NoMemory>::new(b, now));
    let messages = 33; // of 2^19 packets each: 17 million, and a turn of the sequence numbers is 16.8 million
    for id in 0..messages {
        a.post_send(SendWr::new(id, write(rkey, 0), 0, 1 << 31), &mut env).unwrap();
    }
    // Half of it would do to see a comparison fail: what is posted must not look as if it had been acknowledged.
    for _ in 0..1 << 16 {
        let packet = loop {
            match a.want(now) {
                Want::At(at) => now = at,
                _ => break a.poll_data(now, &mut env).unwrap(),
            }
        };
        b.handle_packet(now, &packet, RxMeta::default(), &mut env);
        while let Some(ack) = b.poll_ack() {
            a.handle_packet(now, &ack, RxMeta::default(), &mut env);
        }
    }
    assert_eq!((a.send_queue_len() as u64, a.counters().retransmitted_packets), (messages, 0));
    assert!(env.poll(CqId(0)).is_none());
}

/// 9.7.5: an acknowledgement of a packet that was never sent (a ghost), or of one that is acknowledged, does nothing.
#[test]
fn ghosts_and_old_acknowledgements_are_dropped() {
    let (mut pair, rkey) = pair();
    send(&mut pair, 1, write(rkey, 0), 0, 2048);
    pair.send(&mut |_, _| Vec::new());
    for psn in [2, 3, 1000, 0x7f_ffff, 0x80_0000, 0xff_ffff] {
        for syndrome in [Syndrome::ACK, Syndrome::Nak { code: NakCode::RemoteAccessError }] {
            let ack = Packet {
                opcode: weir_wire::Opcode::rc(17),
                psn: Psn::new(0xff_fff0).add(psn),
                ext: Ext::Aeth { syndrome, msn: 1 },
                ..Packet::default()
            };
            pair.qps[0].handle_packet(pair.now, &ack, RxMeta::default(), &mut pair.envs[0]);
        }
        assert_eq!(statuses(&mut pair, 0), [], "PSN {psn} on");
    }
    assert_eq!(pair.qps[0].state(), QpState::Rts);
}

/// 9.7.5: the message sequence number counts messages, reads and atomics among them.
#[test]
fn the_msn_counts_messages() {
    let (mut pair, rkey) = pair();
    receive(&mut pair, 1, 0, 64);
    send(&mut pair, 1, SEND, 0, 8);
    send(&mut pair, 2, write(rkey, 0), 0, 3000);
    send(&mut pair, 3, read(rkey, 0), 0, 8);
    send(&mut pair, 4, SendOp::FetchAdd { remote: 0, rkey, add: 1 }, 0, 8);
    send(&mut pair, 5, write(rkey, 0), 0, 8);
    pair.run_clean();
    let msns: Vec<u32> = pair
        .log
        .iter()
        .filter(|l| l.1 == 1)
        .filter_map(|(_, _, packet)| match packet.ext {
            Ext::Aeth { msn, .. } | Ext::AtomicAck { msn, .. } => Some(msn),
            _ => None,
        })
        .collect();
    assert_eq!(*msns.last().unwrap(), 5);
    assert!(msns.is_sorted() && msns.contains(&3) && msns.contains(&4), "{msns:?}");
}

/// The window closes between two packets that ask for an acknowledgement: the one that closes it asks.
#[test]
fn a_closing_window_asks() {
    use weir_congestion::{ControlParams, DctcpParams};
    let control = ControlParams::Dctcp(DctcpParams::paper());
    let (mut pair, rkey) = pair_of(QpConfig { control, ack_every: 1 << 20, ecn_echo: true, ..config() });
    send(&mut pair, 1, write(rkey, 0), 0, 60 * 1024);
    pair.run(Span::from_ms(1), &mut |_, _| vec![Span::from_us(4)]);
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)]);
    assert_eq!(pair.qps[0].counters().local_ack_timeout_err, 0, "no stall");
}

/// A sender so slow that its timer would fire before its next n-th packet asks earlier.
#[test]
fn a_slow_sender_asks_before_its_timer_fires() {
    let line = weir_units::Rate::from_mbps(100);
    let (mut pair, rkey) =
        pair_of(QpConfig { line, ack_every: 1000, ack_timeout: Span::from_us(400), ..config() });
    send(&mut pair, 1, write(rkey, 0), 0, 60 * 1024);
    pair.run_clean();
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)]);
    assert_eq!(pair.qps[0].counters().local_ack_timeout_err, 0);
}

/// RFC 3168 by way of annex A17: with ECN echo, an acknowledgement says that a packet since the last one came marked.
#[test]
fn marks_are_echoed_once() {
    let (mut pair, rkey) = pair_of(QpConfig { ack_every: 1, ecn_echo: true, ..config() });
    send(&mut pair, 1, write(rkey, 0), 0, 4 * 1024);
    let mut echoes = Vec::new();
    for (index, ce) in [false, true, false, false].into_iter().enumerate() {
        if let Want::At(at) = pair.qps[0].want(pair.now) {
            pair.now = at;
        }
        let packet = pair.qps[0].poll_data(pair.now, &mut pair.envs[0]).expect("a packet");
        let rx = RxMeta { ce, ..RxMeta::default() };
        pair.qps[1].handle_packet(pair.now, &packet, rx, &mut pair.envs[1]);
        // The third packet's acknowledgement is sent with the fourth's.
        if index != 2 {
            echoes.extend(pair.qps[1].poll_ack().map(|ack| ack.flags.contains(Flags::BECN)));
        }
    }
    assert_eq!(echoes, [false, true, false]);
}
