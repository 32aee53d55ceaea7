//! Pipeline parallelism: activations forward, gradients backward.

use super::generate::Generator;
use crate::NodeId;
use weir_units::Span;

impl Generator<'_> {
    /// Every micro-batch runs forward through the stages, and back as soon as the last stage has it. A stage sends one
    /// micro-batch at a time in each direction.
    pub(super) fn pipeline(
        &mut self,
        hosts: &[NodeId],
        stages: u32,
        microbatches: u32,
        bytes: u64,
        [forward, backward]: [Span; 2],
    ) {
        let stages = stages as usize;
        let width = hosts.len() / stages.max(1);
        for lane in 0..width {
            let host = |stage: usize| hosts[stage * width + lane];
            // The last flow that left each stage, forward and backward.
            let mut sent: Vec<Option<u32>> = vec![None; stages];
            let mut returned: Vec<Option<u32>> = vec![None; stages];
            for _ in 0..microbatches {
                let mut came = None;
                for (stage, sent) in sent.iter_mut().enumerate().take(stages.saturating_sub(1)) {
                    let start = self.after(came.into_iter().chain(*sent), forward);
                    came = self.flow(host(stage), host(stage + 1), bytes, start);
                    *sent = came;
                }
                for stage in (1..stages).rev() {
                    // The last stage computes forward and turns round.
                    let compute = match stage == stages - 1 {
                        true => forward.saturating_add(backward),
                        false => backward,
                    };
                    let start = self.after(came.into_iter().chain(returned[stage]), compute);
                    came = self.flow(host(stage), host(stage - 1), bytes, start);
                    returned[stage] = came;
                }
            }
        }
    }
}
