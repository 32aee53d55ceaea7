//! Mixture of experts: tokens to their top-k experts, and back.

use super::generate::Generator;
use crate::{NodeId, Start, Stream};
use weir_units::Span;

/// Who chooses the experts of a token.
pub(super) struct Router {
    pub(super) experts: u32,
    pub(super) top_k: u32,
    pub(super) skew: f64,
}

impl Router {
    /// Popularity of the experts, as running sums up to 1: a Zipf law over the experts in random order.
    fn popularity(&self, stream: &mut Stream) -> Vec<f64> {
        let mut weights: Vec<f64> =
            (1..=self.experts).map(|place| f64::from(place).powf(-self.skew)).collect();
        stream.shuffle(&mut weights);
        let total: f64 = weights.iter().sum();
        let mut sum = 0.0;
        for weight in &mut weights {
            sum += *weight / total;
            *weight = sum;
        }
        weights
    }

    /// Adds one token's experts to `counts`: `top_k` different ones, each drawn by popularity among those left.
    fn route(&self, popularity: &[f64], stream: &mut Stream, chosen: &mut Vec<usize>, counts: &mut [u64]) {
        chosen.clear();
        let mut tries = 0;
        while chosen.len() < self.top_k.min(self.experts) as usize {
            // Drawing again what was drawn before is the same as drawing among those left. A law so skewed that this
            // takes for ever is cut short: then the first expert that is left gets the token.
            tries += 1;
            let u = stream.unit();
            let expert = match tries {
                0..10_000 => popularity.partition_point(|sum| *sum <= u).min(popularity.len() - 1),
                _ => (0..popularity.len()).find(|expert| !chosen.contains(expert)).unwrap_or(0),
            };
            if !chosen.contains(&expert) {
                chosen.push(expert);
                counts[expert] += 1;
            }
        }
    }
}

impl Generator<'_> {
    /// `tokens` are the number a rank and the bytes of one; `layers` their number and the time of computing.
    pub(super) fn moe(
        &mut self,
        hosts: &[NodeId],
        router: &Router,
        (tokens, token_bytes): (u32, u64),
        (layers, compute): (u32, Span),
    ) {
        let n = hosts.len();
        let rank_of = |expert: usize| expert * n / router.experts.max(1) as usize;
        let mut ready: Vec<Start> = vec![self.begin(); n];
        let mut chosen = Vec::new();
        for _ in 0..layers {
            let popularity = router.popularity(&mut self.stream);
            // Tokens from each rank to each rank.
            let mut sent = vec![vec![0u64; n]; n];
            for sent in &mut sent {
                let mut counts = vec![0u64; router.experts as usize];
                for _ in 0..tokens {
                    router.route(&popularity, &mut self.stream, &mut chosen, &mut counts);
                }
                for (expert, count) in counts.into_iter().enumerate() {
                    sent[rank_of(expert)] += count;
                }
            }
            let mut arrived: Vec<Vec<u32>> = vec![Vec::new(); n];
            for from in 0..n {
                for to in (from + 1..n).chain(0..from) {
                    let bytes = sent[from][to].saturating_mul(token_bytes);
                    arrived[to].extend(self.flow(hosts[from], hosts[to], bytes, ready[from]));
                }
            }
            let mut returned: Vec<Vec<u32>> = vec![Vec::new(); n];
            for expert_rank in 0..n {
                if arrived[expert_rank].is_empty() {
                    continue;
                }
                let start = self.after(std::mem::take(&mut arrived[expert_rank]), compute);
                for to in (expert_rank + 1..n).chain(0..expert_rank) {
                    let bytes = sent[to][expert_rank].saturating_mul(token_bytes);
                    returned[to].extend(self.flow(hosts[expert_rank], hosts[to], bytes, start));
                }
            }
            for (ready, returned) in ready.iter_mut().zip(returned) {
                // A rank all of whose tokens stayed at home goes on as it stood.
                if !returned.is_empty() {
                    *ready = self.after(returned, compute);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_go_to_different_experts_by_popularity() {
        let router = Router { experts: 16, top_k: 4, skew: 1.0 };
        let mut stream = Stream::new(5, "moe");
        let popularity = router.popularity(&mut stream);
        assert!((popularity[15] - 1.0).abs() < 1e-12);
        let (mut counts, mut chosen) = (vec![0; 16], Vec::new());
        for _ in 0..10_000 {
            router.route(&popularity, &mut stream, &mut chosen, &mut counts);
            let distinct: std::collections::BTreeSet<_> = chosen.iter().collect();
            assert_eq!(distinct.len(), 4);
        }
        assert_eq!(counts.iter().sum::<u64>(), 40_000);
        let hottest = (0..16)
            .max_by(|a, b| {
                let weight = |i: usize| popularity[i] - if i == 0 { 0.0 } else { popularity[i - 1] };
                weight(*a).total_cmp(&weight(*b))
            })
            .unwrap();
        assert_eq!(counts[hottest], *counts.iter().max().unwrap());
        assert!(counts[hottest] > 2 * 40_000 / 16);
    }

    #[test]
    fn the_maddest_skew_ends() {
        let router = Router { experts: 64, top_k: 64, skew: 300.0 };
        let mut stream = Stream::new(5, "moe");
        let popularity = router.popularity(&mut stream);
        let (mut counts, mut chosen) = (vec![0; 64], Vec::new());
        router.route(&popularity, &mut stream, &mut chosen, &mut counts);
        assert_eq!(counts, vec![1; 64]);
    }
}
