//! Nanoseconds per data packet through a pair of queue pairs without payload: `poll_data`, `handle_packet` at the peer, and
//! its share of `poll_ack` and `handle_packet` back. Packets pass through a small window, as they do in the simulator.

use std::collections::VecDeque;
use std::hint::black_box;
use std::time::Instant;
use weir_congestion::{ControlParams, DcqcnParams};
use weir_transport::*;
use weir_units::Time;
use weir_wire::Qpn;

/// Packets of one measurement.
const PACKETS: u64 = 2_000_000;
/// Packets between the two ends.
const WINDOW: usize = 64;

fn measure(name: &str, base: &QpConfig, op: fn(u32) -> SendOp, message_bytes: u32) {
    let end = |qpn, peer| QpConfig { qpn: Qpn::new(qpn), peer: Qpn::new(peer), ..base.clone() };
    let best = (0..5)
        .map(|_| {
            let mut env = Env::<NoMemory>::default();
            let rkey = env.keys.register(0, u64::MAX, Access::REMOTE_READ | Access::REMOTE_WRITE);
            let mut a = Qp::<NoMemory>::new(end(1, 2), Time::ZERO);
            let mut b = Qp::<NoMemory>::new(end(2, 1), Time::ZERO);
            let packets_each = u64::from(message_bytes.div_ceil(base.mtu));
            let mut data: VecDeque<Packet<()>> = VecDeque::with_capacity(WINDOW);
            let mut acks: VecDeque<Packet<()>> = VecDeque::with_capacity(WINDOW);
            let (mut posted, mut sent, mut now) = (0, 0, Time::ZERO);
            let begin = Instant::now();
            while sent < PACKETS {
                if a.send_queue_len() < 4 {
                    let wr = SendWr::new(posted, op(rkey), 0, message_bytes);
                    a.post_send(wr, &mut env).expect("room");
                    if !matches!(op(rkey), SendOp::Read { .. } | SendOp::Write { .. }) {
                        b.post_recv(RecvWr::new(posted, 0, message_bytes), &mut env).expect("room");
                    }
                    posted += 1;
                }
                while data.len() < WINDOW {
                    let packet = match a.want(now) {
                        Want::Now => a.poll_data(now, &mut env),
                        Want::At(at) => {
                            now = at;
                            continue;
                        }
                        Want::Nothing => None,
                    };
                    let Some(packet) = packet else { break };
                    data.push_back(black_box(packet));
                }
                for packet in data.drain(..) {
                    sent += u64::from(packet.payload_bytes > 0);
                    b.handle_packet(now, &packet, RxMeta::default(), &mut env);
                    if b.has_ack() {
                        acks.extend(b.poll_ack());
                    }
                }
                // Read responses of the other side.
                while let Want::Now | Want::At(_) = b.want(now) {
                    if let Want::At(at) = b.want(now) {
                        now = at;
                    }
                    let Some(packet) = b.poll_data(now, &mut env) else { break };
                    sent += u64::from(packet.payload_bytes > 0);
                    acks.push_back(black_box(packet));
                }
                for packet in acks.drain(..) {
                    a.handle_packet(now, &packet, RxMeta::default(), &mut env);
                }
                while env.poll(CqId(0)).is_some() {}
            }
            let spent = begin.elapsed().as_nanos() as f64 / sent as f64;
            assert!(posted >= PACKETS / packets_each.max(1), "it moved");
            spent
        })
        .fold(f64::INFINITY, f64::min);
    println!("{name:<44} {best:>6.1} ns per data packet");
}

fn main() {
    let plain = QpConfig { ack_every: 1, ..QpConfig::default() };
    let coalesced = QpConfig { ack_every: 16, ..plain.clone() };
    let dcqcn = QpConfig { control: ControlParams::Dcqcn(DcqcnParams::firmware()), ..plain.clone() };
    let selective = QpConfig { recovery: Recovery::SelectiveRepeat, ..plain.clone() };
    let write = |rkey| SendOp::Write { remote: 0, rkey, imm: None };
    println!(
        "size of Qp<NoMemory>: {} bytes, of Packet<()>: {}",
        size_of::<Qp<NoMemory>>(),
        size_of::<Packet<()>>()
    );
    measure("WRITE 1 MiB, an ACK each", &plain, write, 1 << 20);
    measure("WRITE 1 MiB, an ACK each 16", &coalesced, write, 1 << 20);
    measure("WRITE 1 MiB, an ACK each, DCQCN", &dcqcn, write, 1 << 20);
    measure("WRITE 1 MiB, an ACK each, selective repeat", &selective, write, 1 << 20);
    measure("WRITE 1 KiB", &plain, write, 1 << 10);
    measure("SEND 64 KiB, an ACK each", &plain, |_| SendOp::Send { imm: None }, 1 << 16);
    measure("READ 64 KiB", &plain, |rkey| SendOp::Read { remote: 0, rkey }, 1 << 16);
}
