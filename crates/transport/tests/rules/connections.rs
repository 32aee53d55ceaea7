//! UC (9.8.2) and XRC (annex A14).

use super::*;

fn uc() -> (Pair, u32) {
    pair_of(QpConfig { service: Service::Uc, ..config() })
}

/// 9.8.3: a request is complete when its last packet has left. Nothing answers.
#[test]
fn uc_completes_when_sent() {
    let (mut pair, rkey) = uc();
    receive(&mut pair, 50, 9000, 4096);
    send(&mut pair, 1, write(rkey, 20_000), 0, 3000);
    send(&mut pair, 2, SendOp::Send { imm: Some(5) }, 0, 3000);
    pair.run_clean();
    assert_eq!(
        sent(&pair, 0).iter().map(|(code, _)| *code).collect::<Vec<_>>(),
        [0x26, 0x27, 0x28, 0x20, 0x21, 0x23]
    );
    assert!(pair.log.iter().all(|(_, side, packet)| *side == 0 && !packet.ack_req()));
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success), (2, Status::Success)]);
    let wanted = pair.bytes(0, 0, 3000).to_vec();
    assert_eq!(pair.bytes(1, 20_000, 3000), wanted);
    assert_eq!(pair.bytes(1, 9000, 3000), wanted);
    assert_eq!(pair.completions(1)[0].imm, Some(5));
}

/// 9.8.2: a message with a gap is dropped without a word; the next first packet begins anew, and takes the receive
/// request that the dropped one had.
#[test]
fn uc_drops_a_message_with_a_gap() {
    for lost in 0..3 {
        let (mut pair, _) = uc();
        receive(&mut pair, 50, 9000, 4096);
        receive(&mut pair, 51, 15_000, 4096);
        for id in 1..4 {
            send(&mut pair, id, SEND, 0, 3000);
        }
        pair.run(LIMIT, &mut losing(0, &[lost]));
        assert_eq!(statuses(&mut pair, 0).len(), 3, "the sender does not know");
        assert_eq!(statuses(&mut pair, 1), [(50, Status::Success), (51, Status::Success)]);
        let counters = pair.qps[1].counters();
        assert_eq!(counters.delivered_bytes, 6000, "packet {lost}");
        assert!(pair.log.iter().all(|(_, side, _)| *side == 0), "no NAK");
    }
}

/// No receive request, a bad key, a message too long: dropped, and the connection stays (9.8.2).
#[test]
fn uc_drops_what_it_cannot_take() {
    let (mut pair, rkey) = uc();
    send(&mut pair, 1, SEND, 0, 3000);
    send(&mut pair, 2, write(rkey ^ 1, 0), 0, 8);
    pair.run_clean();
    receive(&mut pair, 50, 9000, 64);
    send(&mut pair, 3, SEND, 0, 65);
    send(&mut pair, 4, SEND, 0, 64);
    pair.run_clean();
    assert_eq!(statuses(&mut pair, 1), [(50, Status::Success)]);
    assert_eq!(pair.qps[1].state(), QpState::Rts);
    assert_eq!(pair.qps[1].counters().out_of_buffer, 1);
}

/// 10.3.1: a local fault puts the send queue alone in error; the consumer brings it back.
#[test]
fn uc_send_queue_error() {
    let (mut pair, rkey) = uc();
    let bad = Sge { addr: 0, len: 8, lkey: 0xbad00 };
    post(&mut pair, SendWr { local: bad.into(), ..SendWr::new(1, write(rkey, 0), 0, 0) });
    send(&mut pair, 2, write(rkey, 0), 0, 8);
    pair.run_clean();
    assert_eq!(statuses(&mut pair, 0), [(1, Status::LocalProtection), (2, Status::Flushed)]);
    assert_eq!(pair.qps[0].state(), QpState::Sqe);
    pair.qps[0].modify(pair.now, QpState::Rts, &Modify::default(), &mut pair.envs[0]).unwrap();
    send(&mut pair, 3, write(rkey, 0), 0, 3000);
    pair.run_clean();
    assert_eq!(statuses(&mut pair, 0), [(3, Status::Success)]);
    assert_eq!(pair.qps[1].counters().delivered_bytes, 3000);
}

fn xrc() -> (Pair, u32) {
    let (mut pair, rkey) = pair_of(QpConfig { service: Service::XrcInitiator, ..config() });
    pair.envs[1].create_srq(8);
    pair.envs[1].create_srq(8);
    (pair, rkey)
}

/// Annex A14: a request names the shared receive queue of the target; answers do not. Losses are repaired as in RC.
#[test]
fn xrc_receives_where_the_request_says() {
    let (mut pair, rkey) = xrc();
    for srq in 0..2 {
        let at = 10_000 + 5000 * srq as u64;
        pair.envs[1].srqs[srq].post(RecvWr::new(50 + srq as u64, at, 4096)).unwrap();
    }
    post(&mut pair, SendWr { srqn: 1, ..SendWr::new(1, SEND, 0, 3000) });
    post(&mut pair, SendWr { srqn: 1, ..SendWr::new(2, write(rkey, 30_000), 0, 3000) });
    post(&mut pair, SendWr { srqn: 0, ..SendWr::new(3, SendOp::Send { imm: Some(9) }, 0, 8) });
    post(&mut pair, SendWr { srqn: 1, ..SendWr::new(4, read(rkey, 100), 40_000, 2000) });
    post(
        &mut pair,
        SendWr { srqn: 1, ..SendWr::new(5, SendOp::FetchAdd { remote: 0, rkey, add: 1 }, 50_000, 8) },
    );
    pair.run(LIMIT, &mut losing(0, &[1, 5]));
    assert_eq!(statuses(&mut pair, 0), [1, 2, 3, 4, 5].map(|id| (id, Status::Success)));
    assert_eq!(statuses(&mut pair, 1), [(51, Status::Success), (50, Status::Success)]);
    let wanted = pair.bytes(0, 0, 3000).to_vec();
    assert_eq!(pair.bytes(1, 15_000, 3000), wanted);
    for (_, side, packet) in &pair.log {
        assert_eq!(packet.opcode.0 >> 5, 5, "{packet:?}");
        assert_eq!(packet.srqn().is_some(), *side == 0, "{packet:?}");
    }
    let refused = pair.qps[1].post_send(SendWr::new(1, SEND, 0, 8), &mut pair.envs[1]);
    assert_eq!(refused, Err(PostError::Unsupported { service: Service::XrcTarget }));
}
