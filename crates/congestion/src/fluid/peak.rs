//! The queue when every flow starts at line rate, without PFC: why PFC is needed although DCQCN works.

use super::Fluid;

impl Fluid {
    /// An upper bound of the queue, in bytes, of `flows` flows that start together at line rate, whose CNPs take `delay`
    /// seconds from the switch to the sender.
    ///
    /// The queue grows at N - 1 lines until it is at Kmax and the first CNPs have arrived, then by what k cuts leave
    /// above one line, for one CNP interval each; a packet of each flow may be on its way in either case:
    /// C [(N-1)(delay + N s/C + Kmax/((N-1) C)) + S (tau + N s/C)] with S the sum over k of N/2^k - 1 while positive.
    pub fn line_rate_start_peak(&self, flows: u32, delay: f64) -> f64 {
        if flows <= 1 {
            return 0.0;
        }
        let n = f64::from(flows);
        let packets = n / self.capacity;
        let excess: f64 = (1..32).map(|k| (n / f64::from(1u32 << k) - 1.0).max(0.0)).sum();
        let first = (n - 1.0) * (delay + packets + self.kmax / ((n - 1.0) * self.capacity));
        self.capacity * (first + excess * (self.tau + packets)) * self.packet_bytes
    }
}
