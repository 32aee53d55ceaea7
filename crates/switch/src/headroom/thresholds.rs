//! The order of thresholds: ECN must come before PFC, or congestion control has nothing to act on.
//!
//! PFC counts at the ingress, ECN at the egress: one egress queue may be fed by one ingress alone, and all egress
//! queues by the same one. DCQCN, section 4, has the reasoning for one switch; here for any.

/// The highest static PFC threshold that leaves headroom for every port and priority:
/// (B - headroom of all) / (ports × priorities). Bytes; `None` if headroom alone fills the buffer.
pub fn static_pfc_max_bytes(
    buffer_bytes: u64,
    ports: u32,
    priorities: u32,
    headroom_bytes: u64,
) -> Option<f64> {
    let shared = shared_bytes(buffer_bytes, ports, priorities, headroom_bytes)?;
    Some(shared / (f64::from(ports) * f64::from(priorities)))
}

/// Where ECN must begin at the latest so that no PFC threshold is reached before it, with a dynamic threshold of
/// `alpha` shared by `priorities`: Kmin < alpha (B - headroom of all) / (priorities × ports × (1 + alpha)). Bytes.
///
/// Every egress queue of `ports` may hold just Kmin before the first mark, and all of it may have come by one ingress
/// port, whose threshold those bytes have lowered.
pub fn ecn_max_bytes(
    buffer_bytes: u64,
    ports: u32,
    priorities: u32,
    headroom_bytes: u64,
    alpha: f64,
) -> Option<f64> {
    let shared = shared_bytes(buffer_bytes, ports, priorities, headroom_bytes)?;
    let bound = alpha * shared / (f64::from(priorities) * f64::from(ports) * (1.0 + alpha));
    (bound.is_finite() && bound > 0.0).then_some(bound)
}

/// The same with a static PFC threshold: each of `ports` egress queues may be fed by one ingress, so
/// Kmin < threshold / ports.
pub fn ecn_max_bytes_static(pfc_threshold_bytes: f64, ports: u32) -> Option<f64> {
    (ports > 0).then(|| pfc_threshold_bytes / f64::from(ports))
}

fn shared_bytes(buffer_bytes: u64, ports: u32, priorities: u32, headroom_bytes: u64) -> Option<f64> {
    if ports == 0 || priorities == 0 {
        return None;
    }
    let headroom = headroom_bytes.checked_mul(u64::from(ports))?.checked_mul(u64::from(priorities))?;
    Some(buffer_bytes.checked_sub(headroom)? as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The switch of the DCQCN paper: 12 MB, 32 ports of 40 Gb/s, 8 priorities, 22.4 KB of headroom each.
    const PAPER: (u64, u32, u32, u64) = (12_000_000, 32, 8, 22_400);

    #[test]
    fn the_paper_s_switch() {
        let (buffer, ports, priorities, headroom) = PAPER;
        let pfc = static_pfc_max_bytes(buffer, ports, priorities, headroom).unwrap();
        assert!((pfc - 24_475.0).abs() < 1.0, "{pfc}");
        // Less than a frame: infeasible, as the paper says.
        assert!((ecn_max_bytes_static(pfc, ports).unwrap() - 765.0).abs() < 1.0);
        for (alpha, kb) in [(0.25, 4.9), (1.0, 12.2), (4.0, 19.6), (8.0, 21.756), (16.0, 23.0)] {
            let ecn = ecn_max_bytes(buffer, ports, priorities, headroom, alpha).unwrap();
            assert!((ecn / 1000.0 - kb).abs() < 0.05, "alpha {alpha}: {ecn}");
        }
    }

    #[test]
    fn what_does_not_fit_has_no_threshold() {
        assert_eq!(static_pfc_max_bytes(1000, 4, 2, 126), None);
        assert_eq!(static_pfc_max_bytes(1000, 0, 2, 1), None);
        assert_eq!(ecn_max_bytes(1000, 4, 2, u64::MAX, 1.0), None);
        assert_eq!(ecn_max_bytes(1000, 4, 2, 1, f64::NAN), None);
        assert_eq!(ecn_max_bytes_static(1.0, 0), None);
    }
}
