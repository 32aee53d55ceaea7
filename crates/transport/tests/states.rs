//! What every event does in every state, as one table to read (IBTA volume 1, 10.3.1; table of states).
//!
//! Each cell starts from a fresh queue pair with a receive request posted, where its state takes one, and an 8-byte SEND
//! under way, where its state allows it. It says what came of the event: `!` the call was refused; `=` the new state; `c`
//! completions (id:status); `a` acknowledgements given; `e` events; `w` what it wants to send after. A dot: nothing.

mod common;

use common::config;
use std::fmt::Write;
use weir_transport::*;
use weir_units::{Span, Time};
use weir_wire::{Opcode, Psn, opcode::op};

struct Bench {
    qp: Qp<VecMemory>,
    env: Env<VecMemory>,
    rkey: u32,
}

const NOW: Time = Time::from_us(100);
/// Sequence numbers of both directions.
const PSN: Psn = Psn::new(100);

fn reach(service: Service, state: QpState) -> Option<Bench> {
    use QpState::*;
    if state == Sqe && service == Service::Rc {
        return None; // RC has no such state
    }
    let mut env = Env::new(VecMemory(vec![0; 4096]));
    let rkey = env.keys.register(0, 4096, Access::REMOTE);
    let base = QpConfig { service, ack_every: 1, rq_psn: PSN, sq_psn: PSN, ..config() };
    let mut qp = Qp::new_reset(base, NOW);
    let path: &[QpState] = match state {
        Reset => &[],
        Init => &[Init],
        Rtr => &[Init, Rtr],
        Rts | Sqd | Sqe | Error => &[Init, Rtr, Rts],
    };
    for step in path {
        qp.modify(NOW, *step, &Modify::default(), &mut env).expect("a legal path");
    }
    let _ = qp.post_recv(RecvWr::new(50, 0, 64), &mut env);
    let send = |id| SendWr::new(id, SendOp::Send { imm: None }, 0, 8);
    match state {
        Rts | Sqd => {
            qp.post_send(send(1), &mut env).expect("RTS");
            qp.poll_data(NOW, &mut env).expect("a packet");
        }
        Sqe => {
            let mut bad = send(1);
            bad.local = Sge { addr: 0, len: 8, lkey: 0xbad00 }.into();
            qp.post_send(bad, &mut env).expect("RTS");
            assert!(qp.poll_data(NOW, &mut env).is_none());
        }
        _ => {}
    }
    if matches!(state, Sqd | Error) {
        qp.modify(NOW, state, &Modify::default(), &mut env).expect("a legal step");
    }
    assert_eq!(qp.state(), state);
    while env.poll(CqId(0)).is_some() {}
    env.events.clear();
    Some(Bench { qp, env, rkey })
}

type Event = (&'static str, fn(&mut Bench) -> Result<(), String>);

fn request(b: &mut Bench, operation: u8, psn: Psn, ext: Ext, bytes: u16) -> Result<(), String> {
    let code = if b.qp.config().service == Service::Uc { 0x20 } else { 0 };
    let packet = Packet {
        opcode: Opcode(code | operation),
        psn,
        flags: Flags::ACK_REQ,
        ext,
        payload_bytes: bytes,
        payload: vec![1; bytes.into()],
        ..Packet::default()
    };
    b.qp.handle_packet(NOW, &packet, RxMeta::default(), &mut b.env);
    Ok(())
}

fn answer(b: &mut Bench, psn: Psn, syndrome: Syndrome) -> Result<(), String> {
    request(b, op::ACKNOWLEDGE, psn, Ext::Aeth { syndrome, msn: 1 }, 0)
}

fn nak(b: &mut Bench, code: NakCode) -> Result<(), String> {
    answer(b, PSN, Syndrome::Nak { code })
}

fn modify(b: &mut Bench, to: QpState) -> Result<(), String> {
    b.qp.modify(NOW, to, &Modify::default(), &mut b.env).map_err(|error| error.to_string())
}

const EVENTS: &[Event] = &[
    ("post send", |b| {
        let wr = SendWr::new(2, SendOp::Send { imm: None }, 0, 8);
        b.qp.post_send(wr, &mut b.env).map_err(|error| error.to_string())
    }),
    ("post receive", |b| b.qp.post_recv(RecvWr::new(51, 0, 64), &mut b.env).map_err(|e| e.to_string())),
    ("SEND in order", |b| request(b, op::SEND_ONLY, PSN, Ext::None, 8)),
    ("SEND ahead", |b| request(b, op::SEND_ONLY, PSN.add(1), Ext::None, 8)),
    ("SEND again", |b| request(b, op::SEND_ONLY, PSN.sub(1), Ext::None, 8)),
    ("SEND too long", |b| request(b, op::SEND_ONLY, PSN, Ext::None, 100)),
    ("WRITE", |b| {
        let rkey = b.rkey;
        request(b, op::WRITE_ONLY, PSN, Ext::Reth { va: 0, rkey, len: 8 }, 8)
    }),
    ("WRITE, wrong key", |b| request(b, op::WRITE_ONLY, PSN, Ext::Reth { va: 0, rkey: 1, len: 8 }, 8)),
    ("WRITE middle first", |b| request(b, op::WRITE_MIDDLE, PSN, Ext::None, 1024)),
    ("READ request", |b| {
        let rkey = b.rkey;
        request(b, op::READ_REQUEST, PSN, Ext::Reth { va: 0, rkey, len: 8 }, 0)
    }),
    ("unknown opcode", |b| request(b, 21, PSN, Ext::None, 0)),
    ("ACK", |b| answer(b, PSN, Syndrome::ACK)),
    ("ACK of nothing sent", |b| answer(b, PSN.add(1), Syndrome::ACK)),
    ("RNR NAK", |b| answer(b, PSN, Syndrome::RnrNak { timer: 1 })),
    ("NAK sequence", |b| nak(b, NakCode::PsnSequenceError)),
    ("NAK invalid request", |b| nak(b, NakCode::InvalidRequest)),
    ("NAK remote access", |b| nak(b, NakCode::RemoteAccessError)),
    ("NAK remote operation", |b| nak(b, NakCode::RemoteOperationalError)),
    ("timer", |b| {
        b.qp.handle_deadline(NOW + Span::from_ms(1), &mut b.env);
        Ok(())
    }),
    ("to RESET", |b| modify(b, QpState::Reset)),
    ("to INIT", |b| modify(b, QpState::Init)),
    ("to RTR", |b| modify(b, QpState::Rtr)),
    ("to RTS", |b| modify(b, QpState::Rts)),
    ("to SQD", |b| modify(b, QpState::Sqd)),
    ("to SQE", |b| modify(b, QpState::Sqe)),
    ("to ERROR", |b| modify(b, QpState::Error)),
];

fn cell(mut b: Bench, act: fn(&mut Bench) -> Result<(), String>) -> String {
    let before = b.qp.state();
    let mut parts = Vec::new();
    if act(&mut b).is_err() {
        parts.push("!".to_string());
    }
    if b.qp.state() != before {
        parts.push(format!("={:?}", b.qp.state()));
    }
    let completions: Vec<_> = std::iter::from_fn(|| b.env.poll(CqId(0)))
        .map(|completion| format!("{}:{:?}", completion.id, completion.status))
        .collect();
    if !completions.is_empty() {
        parts.push(format!("c {}", completions.join(" ")));
    }
    let acks: Vec<_> = std::iter::from_fn(|| b.qp.poll_ack())
        .map(|packet| match packet.ext {
            Ext::Aeth { syndrome, .. } => format!("{}@{:+}", short(syndrome), packet.psn.since(PSN)),
            _ => format!("{:?}", packet.ext),
        })
        .collect();
    if !acks.is_empty() {
        parts.push(format!("a {}", acks.join(" ")));
    }
    let events: Vec<_> = b
        .env
        .events
        .iter()
        .map(|event| format!("{event:?}").split('(').next().unwrap_or("").to_string())
        .collect();
    if !events.is_empty() {
        parts.push(format!("e {}", events.join(" ")));
    }
    match b.qp.want(NOW + Span::from_us(1)) {
        Want::Nothing => {}
        Want::Now => parts.push("w now".into()),
        Want::At(_) => parts.push("w later".into()),
    }
    if parts.is_empty() { ".".into() } else { parts.join("; ") }
}

fn short(syndrome: Syndrome) -> String {
    match syndrome {
        Syndrome::Ack { .. } => "ACK".into(),
        Syndrome::RnrNak { .. } => "RNR".into(),
        Syndrome::Nak { code } => format!("NAK({code})"),
        Syndrome::Reserved(byte) => format!("{byte:#x}"),
    }
}

#[test]
fn every_event_in_every_state() {
    let mut table = String::new();
    for service in [Service::Rc, Service::Uc] {
        for state in QpState::ALL {
            if reach(service, state).is_none() {
                continue;
            }
            writeln!(table, "{service:?} {state:?}").expect("a string takes all");
            for (name, act) in EVENTS {
                let cell = reach(service, state).map_or(String::new(), |bench| cell(bench, *act));
                writeln!(table, "  {name:<22}{cell}").expect("a string takes all");
            }
        }
    }
    insta::assert_snapshot!(table);
}
