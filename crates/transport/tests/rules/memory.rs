//! Local keys, scatter and gather, windows (10.6, 10.8.3).

use super::*;
use weir_transport::keys::{WindowBind, WindowKind};

fn sge(addr: u64, len: u32) -> Sge {
    Sge { addr, len, lkey: RESERVED_LKEY }
}

/// Pieces are taken, and filled, in order; a packet may span several, and a piece several packets.
#[test]
fn scatter_and_gather() {
    let (mut pair, rkey) = pair();
    let pieces = [sge(0, 700), sge(3000, 0), sge(5000, 900), sge(2000, 1000)];
    let mut wanted = pair.bytes(0, 0, 700).to_vec();
    wanted.extend_from_slice(pair.bytes(0, 5000, 900));
    wanted.extend_from_slice(pair.bytes(0, 2000, 1000));
    post(&mut pair, SendWr { local: pieces[..].into(), ..SendWr::new(1, write(rkey, 10_000), 0, 0) });
    let spread = RecvWr { id: 50, local: [sge(20_000, 1), sge(30_000, 2000), sge(40_000, 2000)][..].into() };
    pair.qps[1].post_recv(spread, &mut pair.envs[1]).unwrap();
    post(&mut pair, SendWr { local: pieces[..].into(), ..SendWr::new(2, SEND, 0, 0) });
    let back = [sge(40_000, 100), sge(50_000, 2500)];
    post(&mut pair, SendWr { local: back[..].into(), ..SendWr::new(3, read(rkey, 10_000), 0, 0) });
    pair.run_clean();
    assert_eq!(statuses(&mut pair, 0), [1, 2, 3].map(|id| (id, Status::Success)));
    assert_eq!(pair.bytes(1, 10_000, 2600), wanted);
    let mut received = pair.bytes(1, 20_000, 1).to_vec();
    received.extend_from_slice(pair.bytes(1, 30_000, 2000));
    received.extend_from_slice(pair.bytes(1, 40_000, 599));
    assert_eq!(received, wanted);
    let mut read = pair.bytes(0, 40_000, 100).to_vec();
    read.extend_from_slice(pair.bytes(0, 50_000, 2500));
    assert_eq!(read, wanted);
}

/// A bad local key ends its own request, after those before it; the queue pair is in error (10.8.3, 10.3.1: RC).
#[test]
fn a_bad_local_key() {
    let (mut pair, rkey) = pair();
    let lkey = pair.envs[0].keys.register(0, 100, Access::empty());
    send(&mut pair, 1, write(rkey, 0), 0, 3000);
    let good = Sge { addr: 0, len: 100, lkey };
    post(&mut pair, SendWr { local: good.into(), ..SendWr::new(2, write(rkey, 0), 0, 0) });
    let bad = Sge { addr: 0, len: 101, lkey };
    post(&mut pair, SendWr { local: bad.into(), ..SendWr::new(3, write(rkey, 0), 0, 0) });
    send(&mut pair, 4, write(rkey, 0), 0, 8);
    pair.run_clean();
    let ended =
        [(1, Status::Success), (2, Status::Success), (3, Status::LocalProtection), (4, Status::Flushed)];
    assert_eq!(statuses(&mut pair, 0), ended);
}

/// Reading into memory needs the right to write there.
#[test]
fn a_read_needs_the_local_right() {
    let (mut pair, rkey) = pair();
    let lkey = pair.envs[0].keys.register(0, 100, Access::empty());
    let local = Sge { addr: 0, len: 8, lkey };
    post(&mut pair, SendWr { local: local.into(), ..SendWr::new(1, read(rkey, 0), 0, 0) });
    pair.run_clean();
    assert_eq!(statuses(&mut pair, 0), [(1, Status::LocalProtection)]);
    assert_eq!(pair.log.len(), 0);
}

/// Addresses of a region are those that it was registered with, wherever it lies.
#[test]
fn addresses_are_the_regions() {
    let (mut pair, _) = pair();
    let access = Access::REMOTE | Access::LOCAL_WRITE;
    let what = weir_transport::keys::Registration {
        va: 1 << 40,
        addr: 512,
        len: 4096,
        access,
        ..Default::default()
    };
    let rkey = pair.envs[1].keys.register_region(what).unwrap();
    send(&mut pair, 1, write(rkey, (1 << 40) + 8), 0, 16);
    send(&mut pair, 2, read(rkey, (1 << 40) + 8), 9000, 16);
    pair.run_clean();
    let wanted = pair.bytes(0, 0, 16).to_vec();
    assert_eq!(pair.bytes(1, 520, 16), wanted);
    assert_eq!(pair.bytes(0, 9000, 16), wanted);
}

/// A window bound by a send request, used by the peer, made invalid by the peer's SEND with invalidate (10.6.7, 9.4.1).
#[test]
fn a_window_and_its_remote_invalidate() {
    let (mut pair, _) = pair();
    let env = &mut pair.envs[1];
    let access = Access::LOCAL_WRITE | Access::WINDOW_BIND;
    let region = env.keys.register(0, 4096, access);
    let window = env.keys.create_window(WindowKind::Two, Pd(0)) | 0x42;
    let bind = WindowBind { window, region, va: 256, len: 64, access: Access::REMOTE_WRITE };
    pair.qps[1].post_send(SendWr::new(90, SendOp::Bind(bind), 0, 0), &mut pair.envs[1]).unwrap();
    pair.run_clean();
    assert_eq!(statuses(&mut pair, 1), [(90, Status::Success)]);
    receive(&mut pair, 50, 1000, 64);
    send(&mut pair, 1, write(window, 256), 0, 64);
    send(&mut pair, 2, SendOp::SendInvalidate { rkey: window }, 0, 8);
    pair.run_clean();
    let completion = pair.completions(1)[0];
    assert_eq!((completion.id, completion.invalidated), (50, Some(window)));
    send(&mut pair, 3, write(window, 256), 0, 8);
    pair.run_clean();
    assert_eq!(
        statuses(&mut pair, 0),
        [(1, Status::Success), (2, Status::Success), (3, Status::RemoteAccess)]
    );
}

/// A SEND with invalidate of a key that cannot be invalidated is refused, and no message is reported.
#[test]
fn only_type_2_windows_can_be_invalidated_by_a_peer() {
    let (mut pair, rkey) = pair();
    receive(&mut pair, 50, 1000, 64);
    send(&mut pair, 1, SendOp::SendInvalidate { rkey }, 0, 8);
    pair.run_clean();
    assert_eq!(statuses(&mut pair, 0), [(1, Status::RemoteAccess)]);
    assert_eq!(statuses(&mut pair, 1), [(50, Status::Flushed)]);
}

/// A local invalidate, and a bind that fails (11.6.2: memory management and bind errors).
#[test]
fn local_operations_that_fail() {
    let (mut pair, _) = pair();
    let key = pair.envs[0].keys.register(0, 64, Access::REMOTE_READ);
    send(&mut pair, 1, SendOp::LocalInvalidate { key }, 0, 0);
    pair.run_clean();
    assert_eq!(statuses(&mut pair, 0), [(1, Status::MemoryManagement)]);

    let (mut pair, _) = super::pair();
    let region = pair.envs[0].keys.register(0, 64, Access::REMOTE_READ);
    let window = pair.envs[0].keys.create_window(WindowKind::One, Pd(0));
    let bind = WindowBind { window, region, va: 0, len: 8, access: Access::REMOTE_READ };
    send(&mut pair, 1, SendOp::Bind(bind), 0, 0);
    pair.run_clean();
    assert_eq!(statuses(&mut pair, 0), [(1, Status::MwBind)]);
}
