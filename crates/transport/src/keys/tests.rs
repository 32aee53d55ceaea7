use super::*;

const PD: Pd = Pd(7);
const QPN: Qpn = Qpn::new(40);

fn keys() -> (Keys, u32) {
    let mut keys = Keys::default();
    let access = Access::LOCAL_WRITE | Access::REMOTE_READ | Access::WINDOW_BIND;
    let what = Registration { pd: PD, va: 0x10_0000, addr: 0x500, len: 0x100, access };
    let key = keys.register_region(what).unwrap();
    (keys, key)
}

#[test]
fn a_region_has_bounds_rights_and_a_domain() {
    let (keys, key) = keys();
    let read = |va, len, pd| keys.check_remote(key, va, len, Access::REMOTE_READ, pd, QPN);
    assert_eq!(read(0x10_0010, 0xf0, PD), Ok(0x510));
    assert!(matches!(read(0x10_0010, 0xf1, PD), Err(KeyError::Bounds { .. })));
    assert!(matches!(read(0xf_ffff, 1, PD), Err(KeyError::Bounds { .. })));
    assert!(matches!(read(u64::MAX, 2, PD), Err(KeyError::Bounds { .. })));
    assert!(matches!(read(0x10_0000, 1, Pd(8)), Err(KeyError::Domain { .. })));
    let write = keys.check_remote(key, 0x10_0000, 1, Access::REMOTE_WRITE, PD, QPN);
    assert_eq!(write, Err(KeyError::Right { key, missing: Access::REMOTE_WRITE }));
    assert!(keys.check_local(key, 0x10_0000, 0x100, true, PD).is_ok());
}

#[test]
fn remote_writes_need_the_local_right() {
    let what = Registration { access: Access::REMOTE_WRITE, ..Registration::default() };
    assert!(matches!(Keys::default().register_region(what), Err(KeyError::Right { .. })));
}

#[test]
fn a_key_that_has_ended_stays_dead_when_its_slot_is_used_again() {
    let (mut keys, key) = keys();
    keys.deregister(key).unwrap();
    let next = keys.register(0x10_0000, 0x100, Access::REMOTE_READ);
    assert_eq!(next >> 8, key >> 8);
    let stale = keys.check_remote(key, 0x10_0000, 1, Access::REMOTE_READ, PD, QPN);
    assert_eq!(stale, Err(KeyError::Unknown { key }));
}

#[test]
fn type_1_windows_change_key_at_every_bind_and_hold_their_region() {
    let (mut keys, region) = keys();
    let window = keys.create_window(WindowKind::One, PD);
    let bind = WindowBind { window, region, va: 0x10_0040, len: 0x10, access: Access::REMOTE_READ };
    let first = keys.bind(&bind, PD, QPN).unwrap();
    assert_eq!(first, Keys::next_key(window));
    let read = |keys: &Keys, key, va| keys.check_remote(key, va, 1, Access::REMOTE_READ, PD, Qpn::new(9));
    assert_eq!(read(&keys, first, 0x10_0040), Ok(0x540), "any queue pair of the domain");
    assert!(matches!(read(&keys, first, 0x10_0050), Err(KeyError::Bounds { .. })));
    assert_eq!(keys.deregister(region), Err(KeyError::InUse { key: region }));
    assert!(matches!(keys.bind(&bind, PD, QPN), Err(KeyError::Unknown { .. })), "the key before");
    let second = keys.bind(&WindowBind { window: first, len: 0, ..bind }, PD, QPN).unwrap();
    assert!(matches!(read(&keys, first, 0x10_0040), Err(KeyError::Unknown { .. })));
    assert!(matches!(read(&keys, second, 0x10_0040), Err(KeyError::Unknown { .. })), "unbound");
    keys.deregister(region).unwrap();
}

#[test]
fn type_2_windows_are_for_one_queue_pair_and_must_be_invalid_before_a_bind() {
    let (mut keys, region) = keys();
    let window = keys.create_window(WindowKind::Two, PD) | 0x5a;
    let access = Access::REMOTE_READ | Access::ZERO_BASED;
    let bind = WindowBind { window, region, va: 0x10_0040, len: 0x10, access };
    let key = keys.bind(&bind, PD, QPN).unwrap();
    assert_eq!(key & 0xff, 0x5a);
    let read = |keys: &Keys, qpn| keys.check_remote(key, 4, 4, Access::REMOTE_READ, PD, qpn);
    assert_eq!(read(&keys, QPN), Ok(0x544));
    assert_eq!(read(&keys, Qpn::new(9)), Err(KeyError::Domain { key }));
    assert_eq!(keys.bind(&bind, PD, QPN), Err(KeyError::InUse { key }));
    assert_eq!(keys.invalidate(key, PD, Qpn::new(9)), Err(KeyError::Domain { key }));
    keys.invalidate(key, PD, QPN).unwrap();
    assert_eq!(read(&keys, QPN), Err(KeyError::Unknown { key }));
    keys.bind(&WindowBind { window: key & !0xff | 1, ..bind }, PD, QPN).unwrap();
}

#[test]
fn a_window_has_no_right_that_its_region_lacks() {
    let mut keys = Keys::default();
    let region = keys.register(0, 64, Access::WINDOW_BIND | Access::REMOTE_READ);
    let window = keys.create_window(WindowKind::One, Pd(0));
    let bind = WindowBind { window, region, va: 0, len: 8, access: Access::REMOTE_WRITE };
    let refused = keys.bind(&bind, Pd(0), QPN);
    assert_eq!(refused, Err(KeyError::Right { key: region, missing: Access::LOCAL_WRITE }));
    let plain = keys.register(0, 64, Access::REMOTE_READ);
    let bind = WindowBind { region: plain, access: Access::REMOTE_READ, ..bind };
    assert_eq!(
        keys.bind(&bind, Pd(0), QPN),
        Err(KeyError::Right { key: plain, missing: Access::WINDOW_BIND })
    );
}
