//! Selective repeat, as in IRN (SIGCOMM 2018, section 3): not the standard's, agreed by both ends.

use super::*;

fn irn() -> (Pair, u32) {
    let selective = Selective { cap_packets: 64, rto_low: Span::from_us(20), rto_low_packets: 3 };
    pair_of(QpConfig { recovery: Recovery::SelectiveRepeat, selective, ..config() })
}

fn repeated(pair: &Pair) -> Vec<i32> {
    let mut seen = std::collections::BTreeSet::new();
    sent(pair, 0).iter().filter(|packet| !seen.insert(packet.1)).map(|(_, psn)| *psn).collect()
}

#[test]
fn only_what_is_lost_is_repeated() {
    for lost in [vec![0], vec![3], vec![3, 4, 9], vec![0, 2, 4, 6, 8, 10, 12], (5..20).collect()] {
        let (mut pair, rkey) = irn();
        send(&mut pair, 1, write(rkey, 0), 0, 40 * 1024);
        pair.run(LIMIT, &mut losing(0, &lost));
        assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)]);
        assert_eq!(repeated(&pair), lost.iter().map(|at| *at as i32).collect::<Vec<_>>());
        assert_eq!(pair.qps[0].counters().local_ack_timeout_err, 0, "{lost:?}");
        let wanted = pair.bytes(0, 0, 40 * 1024).to_vec();
        assert_eq!(pair.bytes(1, 0, 40 * 1024), wanted);
    }
}

/// A lost tail is found by the short timer (3.1: RTO_low while few packets are in flight).
#[test]
fn a_lost_tail_is_found_soon() {
    let selective = Selective { rto_low: Span::from_us(20), ..Selective::default() };
    let base = QpConfig { recovery: Recovery::SelectiveRepeat, selective, ack_every: 1, ..config() };
    let (mut pair, rkey) = pair_of(base);
    send(&mut pair, 1, write(rkey, 0), 0, 10 * 1024);
    pair.run(LIMIT, &mut losing(0, &[9]));
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)]);
    assert_eq!(repeated(&pair), [9]);
    assert!(pair.now < weir_units::Time::from_us(40), "{}", pair.now);
}

/// A repeated packet that is lost again: the timer.
#[test]
fn lost_twice() {
    let (mut pair, rkey) = irn();
    send(&mut pair, 1, write(rkey, 0), 0, 10 * 1024);
    // The eleventh packet is the third's repetition.
    pair.run(LIMIT, &mut losing(0, &[3, 10]));
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)]);
    assert_eq!(pair.qps[0].counters().local_ack_timeout_err, 1);
}

/// Of a read, the missing responses alone are asked for again.
#[test]
fn only_missing_responses_are_asked_for() {
    let (mut pair, rkey) = irn();
    send(&mut pair, 1, read(rkey, 0), 10_000, 40 * 1024);
    pair.run(LIMIT, &mut losing(1, &[5, 6, 20]));
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)]);
    let asked: Vec<Ext> = pair.log.iter().filter(|l| l.1 == 0).map(|(_, _, packet)| packet.ext).collect();
    let again = |packet: u64, packets: u32| Ext::Reth { va: packet * 1024, rkey, len: packets * 1024 };
    assert_eq!(asked, [again(0, 40), again(5, 2), again(20, 1)]);
    let wanted = pair.bytes(1, 0, 40 * 1024).to_vec();
    assert_eq!(pair.bytes(0, 10_000, 40 * 1024), wanted);
}

/// Messages complete in order, whatever the order of their packets (3.2: placement out of order, completion in order).
#[test]
fn completions_are_in_order() {
    let (mut pair, rkey) = irn();
    receive(&mut pair, 50, 20_000, 4096);
    receive(&mut pair, 51, 24_000, 4096);
    send(&mut pair, 1, SEND, 0, 2000);
    send(&mut pair, 2, write(rkey, 0), 0, 2000);
    send(&mut pair, 3, SEND, 2000, 2000);
    send(&mut pair, 4, SendOp::FetchAdd { remote: 8, rkey, add: 1 }, 30_000, 8);
    send(&mut pair, 5, read(rkey, 0), 40_000, 2000);
    pair.run(LIMIT, &mut losing(0, &[0]));
    assert_eq!(statuses(&mut pair, 0), [1, 2, 3, 4, 5].map(|id| (id, Status::Success)));
    assert_eq!(statuses(&mut pair, 1), [(50, Status::Success), (51, Status::Success)]);
    assert_eq!(repeated(&pair).first(), Some(&0));
}

/// 3.1: no more than the cap is in flight.
#[test]
fn in_flight_is_capped() {
    let (mut pair, rkey) = irn();
    send(&mut pair, 1, write(rkey, 0), 0, 63 * 1024);
    let (mut out, mut most) = (0i32, 0);
    let first = pair.qps[0].config().sq_psn;
    pair.run(LIMIT, &mut |side, packet| {
        match side {
            0 => out = packet.psn.since(first) + 1,
            _ => most = most.max(out - packet.psn.since(first)),
        }
        vec![Span::from_us(20)]
    });
    assert!(most <= 64, "{most}");
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)]);
}

/// A receiver that is not ready has lost nothing: only the refused packet is sent again.
#[test]
fn not_ready_keeps_what_has_arrived() {
    let (mut pair, rkey) = irn();
    send(&mut pair, 1, SEND, 0, 8);
    send(&mut pair, 2, write(rkey, 0), 0, 8 * 1024);
    let mut fate = |_: usize, _: &Packet<Vec<u8>>| vec![Span::from_us(1)];
    while pair.now < weir_units::Time::from_us(5) {
        pair.step(&mut fate);
    }
    receive(&mut pair, 50, 0, 64);
    pair.run(LIMIT, &mut fate);
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success), (2, Status::Success)]);
    assert_eq!(repeated(&pair), [0]);
}

/// Both ends must want it; otherwise it is the standard's.
#[test]
fn recovery_is_agreed() {
    use Recovery::*;
    assert_eq!(SelectiveRepeat.negotiate(SelectiveRepeat), SelectiveRepeat);
    assert_eq!(SelectiveRepeat.negotiate(GoBackN), GoBackN);
    assert_eq!(GoBackN.negotiate(SelectiveRepeat), GoBackN);
    assert_eq!(GoBack0.negotiate(SelectiveRepeat), GoBackN);
}
