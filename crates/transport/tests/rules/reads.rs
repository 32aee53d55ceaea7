//! RDMA READ (9.4.4, 9.7.5, 9.7.5).

use super::*;

/// The responses take the sequence numbers from the request's on; first, last and only carry an AETH. The next request's
/// number comes after them (9.7.3).
#[test]
fn responses_take_the_requests_numbers() {
    let (mut pair, rkey) = pair();
    send(&mut pair, 1, read(rkey, 100), 20_000, 2500);
    send(&mut pair, 2, write(rkey, 0), 0, 8);
    pair.run_clean();
    assert_eq!(sent(&pair, 0), [(12, 0), (10, 3)]);
    assert_eq!(sent(&pair, 1), [(13, 0), (14, 1), (15, 2), (17, 3)]);
    let aeths: Vec<bool> = pair
        .log
        .iter()
        .filter(|l| l.1 == 1)
        .map(|(_, _, packet)| matches!(packet.ext, Ext::Aeth { .. }))
        .collect();
    assert_eq!(aeths, [true, false, true, true]);
    let wanted = pair.bytes(1, 100, 2500).to_vec();
    assert_eq!(pair.bytes(0, 20_000, 2500), wanted);
    let completions = pair.completions(0);
    assert_eq!((completions[0].op, completions[0].bytes), (WcOp::Read, 2500));
}

/// A read of nothing has one response without payload, and its key is not looked at (9.7.4).
#[test]
fn a_read_of_nothing() {
    let (mut pair, _) = pair();
    send(&mut pair, 1, read(0xdead, 0), 0, 0);
    pair.run_clean();
    assert_eq!(sent(&pair, 1), [(16, 0)]);
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)]);
}

/// 9.7.5: a missing response shows when a later one comes; the requester asks again from there, for the rest.
#[test]
fn a_lost_response_is_asked_for_again() {
    let (mut pair, rkey) = pair();
    send(&mut pair, 1, read(rkey, 0), 20_000, 8 * 1024);
    pair.run(LIMIT, &mut losing(1, &[3]));
    assert_eq!(sent(&pair, 0), [(12, 0), (12, 3)]);
    let asked: Vec<Ext> = pair.log.iter().filter(|l| l.1 == 0).map(|(_, _, packet)| packet.ext).collect();
    assert_eq!(asked[1], Ext::Reth { va: 3 * 1024, rkey, len: 5 * 1024 });
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)]);
    let wanted = pair.bytes(1, 0, 8 * 1024).to_vec();
    assert_eq!(pair.bytes(0, 20_000, 8 * 1024), wanted);
    assert_eq!(pair.qps[0].counters().implied_nak_seq_err, 1);
}

/// Lost requests, first and last responses are found by the timer, or by what comes after.
#[test]
fn lost_at_either_end() {
    for (from, lost) in [(0, 0), (1, 0), (1, 7)] {
        let (mut pair, rkey) = pair();
        send(&mut pair, 1, read(rkey, 0), 20_000, 8 * 1024);
        pair.run(LIMIT, &mut losing(from, &[lost]));
        assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)], "side {from}, packet {lost}");
        let wanted = pair.bytes(1, 0, 8 * 1024).to_vec();
        assert_eq!(pair.bytes(0, 20_000, 8 * 1024), wanted);
    }
}

/// A read response acknowledges the requests before it (9.7.5); an acknowledgement of a request after a read says that
/// its responses are lost (9.7.5).
#[test]
fn a_response_acknowledges_what_was_before() {
    let (mut pair, rkey) = pair();
    send(&mut pair, 1, write(rkey, 0), 0, 8);
    send(&mut pair, 2, read(rkey, 0), 20_000, 8);
    send(&mut pair, 3, write(rkey, 0), 0, 8);
    // The acknowledgement of the first write is lost.
    pair.run(LIMIT, &mut losing(1, &[0]));
    assert_eq!(statuses(&mut pair, 0), [1, 2, 3].map(|id| (id, Status::Success)));
    assert_eq!(pair.qps[0].counters().local_ack_timeout_err, 0);

    let (mut pair, rkey) = super::pair();
    send(&mut pair, 1, read(rkey, 0), 20_000, 8);
    send(&mut pair, 2, write(rkey, 0), 0, 8);
    pair.run(LIMIT, &mut losing(1, &[0]));
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success), (2, Status::Success)]);
    let counters = pair.qps[0].counters();
    assert_eq!((counters.implied_nak_seq_err, counters.local_ack_timeout_err), (1, 0));
}

/// 9.7.7: no more reads and atomics are outstanding than the peer has resources for.
#[test]
fn outstanding_reads_are_limited() {
    let (mut pair, rkey) = pair_of(QpConfig { max_rd_atomic: 2, max_dest_rd_atomic: 2, ..config() });
    for id in 0..6 {
        send(&mut pair, id, read(rkey, 0), 20_000, 100);
    }
    pair.send(&mut |_, _| vec![Span::from_us(1)]);
    while let Some(at) = pair.next_at().filter(|at| *at < weir_units::Time::from_ns(900)) {
        pair.now = at;
        pair.send(&mut |_, _| vec![Span::from_us(1)]);
    }
    assert_eq!(sent(&pair, 0).len(), 2);
    pair.run_clean();
    assert_eq!(statuses(&mut pair, 0).len(), 6);
    assert_eq!(pair.qps[1].state(), QpState::Rts);
}

/// 9.7.4: a requester that has more outstanding is refused.
#[test]
fn a_peer_that_asks_for_too_much_is_refused() {
    let mut configs = connected(&config());
    configs[0].max_rd_atomic = 8;
    configs[1].max_dest_rd_atomic = 2;
    let mut pair = Pair::new(configs, 1 << 16);
    let rkey = pair.envs[1].keys.register(0, 1 << 16, Access::REMOTE);
    for id in 0..4 {
        send(&mut pair, id, read(rkey, 0), 20_000, 20_000);
    }
    pair.run(LIMIT, &mut |_, _| vec![Span::from_us(1)]);
    let ended = statuses(&mut pair, 0);
    assert_eq!(ended[..3], [(0, Status::Success), (1, Status::Success), (2, Status::RemoteInvalidRequest)]);
    assert_eq!(ended[3], (3, Status::Flushed));
}

/// 9.9.2: a response of the wrong length is a bad response.
#[test]
fn a_response_of_the_wrong_length_is_bad() {
    let (mut pair, rkey) = pair();
    send(&mut pair, 1, read(rkey, 0), 20_000, 100);
    pair.send(&mut |_, _| Vec::new());
    let response = Packet {
        opcode: weir_wire::Opcode::rc(16),
        psn: pair.qps[0].config().sq_psn,
        payload_bytes: 99,
        payload: vec![0; 99],
        ext: Ext::Aeth { syndrome: Syndrome::ACK, msn: 1 },
        ..Packet::default()
    };
    pair.qps[0].handle_packet(pair.now, &response, RxMeta::default(), &mut pair.envs[0]);
    assert_eq!(statuses(&mut pair, 0), [(1, Status::BadResponse)]);
}

/// Requests and read responses of one queue pair share its pacer in turn: neither starves.
#[test]
fn requests_and_responses_take_turns() {
    let (mut pair, rkey) = pair();
    let back = pair.envs[0].keys.register(0, 1 << 16, Access::REMOTE);
    send(&mut pair, 1, read(rkey, 0), 20_000, 20 * 1024);
    let wr = SendWr::new(2, write(back, 0), 0, 20 * 1024);
    pair.qps[1].post_send(wr, &mut pair.envs[1]).unwrap();
    pair.run_clean();
    let codes: Vec<bool> = sent(&pair, 1)
        .iter()
        .filter(|(code, _)| (6..=8).contains(code) || (13..=15).contains(code))
        .map(|(code, _)| *code < 12)
        .collect();
    // From the first response to the last request.
    let from = codes.iter().position(|request| !request).expect("responses");
    let to = codes.iter().rposition(|request| *request).expect("requests");
    assert!(from < to && codes[from..to].windows(2).all(|pair| pair[0] != pair[1]), "{codes:?}");
}
