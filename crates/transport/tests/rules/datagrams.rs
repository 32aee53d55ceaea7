//! UD (9.8.3, 10.2.5, 11.4.1).

use super::*;
use weir_wire::Qpn;

const QKEY: u32 = 0x1234;

fn ud() -> Pair {
    let mut pair = pair_of(QpConfig { service: Service::Ud, qkey: QKEY, ..config() }).0;
    for side in 0..2 {
        assert_eq!(pair.qps[side].state(), QpState::Rts);
    }
    pair.envs[1].events.clear();
    pair
}

fn datagram(qkey: u32, imm: Option<u32>) -> SendOp {
    SendOp::Datagram { dest: Qpn::new(0x12), qkey, imm }
}

/// The buffer begins with 40 bytes for the GRH, which the completion counts; it tells the sender, too.
#[test]
fn a_datagram_lands_after_the_grh() {
    let mut pair = ud();
    receive(&mut pair, 50, 1000, 1064);
    send(&mut pair, 1, datagram(QKEY, Some(3)), 0, 1000);
    pair.send(&mut |_, _| Vec::new());
    let packet = pair.log[0].2.clone();
    assert_eq!(packet.ext, Ext::Deth { qkey: QKEY, src: Qpn::new(0x11) });
    assert_eq!((packet.opcode.0, packet.dest), (0x65, Qpn::new(0x12)));
    let before = pair.bytes(1, 1000, 20).to_vec();
    let mut grh = [0xaa; 40];
    grh[..20].copy_from_slice(&before);
    let rx = RxMeta { grh: Some(&grh), ..RxMeta::default() };
    pair.qps[1].handle_packet(pair.now, &packet, rx, &mut pair.envs[1]);
    let completion = pair.completions(1)[0];
    assert_eq!((completion.bytes, completion.imm, completion.src), (1040, Some(3), Some(Qpn::new(0x11))));
    assert_eq!(pair.bytes(1, 1000, 40), grh);
    let wanted = pair.bytes(0, 0, 1000).to_vec();
    assert_eq!(pair.bytes(1, 1040, 1000), wanted);
    assert_eq!(statuses(&mut pair, 0), [(1, Status::Success)], "complete when sent");
}

/// 10.2.5: a wrong queue key drops the datagram and is counted; the top bit stands for the sender's own key.
#[test]
fn queue_keys() {
    let mut pair = ud();
    receive(&mut pair, 50, 0, 100);
    send(&mut pair, 1, datagram(QKEY + 1, None), 0, 8);
    send(&mut pair, 2, datagram(0x8000_0000, None), 0, 8);
    pair.run_clean();
    assert_eq!(statuses(&mut pair, 1), [(50, Status::Success)]);
    assert_eq!(pair.qps[1].counters().qkey_violations, 1);
}

/// Dropped without a word: no receive request, a buffer too small. The buffer stays for the next one.
#[test]
fn datagrams_that_do_not_fit() {
    let mut pair = ud();
    send(&mut pair, 1, datagram(QKEY, None), 0, 8);
    pair.run_clean();
    assert_eq!(pair.qps[1].counters().out_of_buffer, 1);
    receive(&mut pair, 50, 0, 47);
    send(&mut pair, 2, datagram(QKEY, None), 0, 8);
    send(&mut pair, 3, datagram(QKEY, None), 0, 7);
    pair.run_clean();
    let completions = pair.completions(1);
    assert_eq!((completions.len(), completions[0].bytes), (1, 47));
    assert!(pair.log.iter().all(|(_, side, _)| *side == 0));
}

/// A datagram is one packet.
#[test]
fn no_longer_than_the_mtu() {
    let mut pair = ud();
    let wr = SendWr::new(1, datagram(QKEY, None), 0, 1025);
    let refused = pair.qps[0].post_send(wr, &mut pair.envs[0]);
    assert_eq!(refused, Err(PostError::TooLong { bytes: 1025, most: 1024 }));
}

/// Losses, copies and another order are the user's affair.
#[test]
fn whatever_arrives_is_received() {
    let mut pair = ud();
    (0..8).for_each(|id| receive(&mut pair, id, 0, 100));
    (0..6).for_each(|id| send(&mut pair, id, datagram(QKEY, Some(id as u32)), 0, 8));
    let mut at = 0;
    pair.run(LIMIT, &mut |_, _| {
        at += 1;
        match at {
            2 => vec![],
            3 => vec![Span::from_us(9)],
            4 => vec![Span::from_us(1), Span::from_us(2)],
            _ => vec![Span::from_us(1)],
        }
    });
    let got: Vec<Option<u32>> = pair.completions(1).iter().map(|completion| completion.imm).collect();
    assert_eq!(got, [0, 3, 4, 5, 3, 2].map(Some));
}
