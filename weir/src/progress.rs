//! Progress on standard error: only on a terminal, only after a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A bar that shows itself when something takes longer than a second. Any thread may move it.
pub struct Bar {
    bar: ProgressBar,
    begun: Instant,
    shown: AtomicBool,
}

impl Bar {
    /// Not shown yet.
    pub fn new(what: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::hidden());
        if let Ok(style) =
            ProgressStyle::with_template("{prefix} {wide_bar:.cyan} {percent:>3} %  {msg}  {eta} left")
        {
            bar.set_style(style.progress_chars("━╸─"));
        }
        bar.set_prefix(what);
        Self { bar, begun: Instant::now(), shown: AtomicBool::new(false) }
    }

    /// How far it is.
    pub fn set(&self, done: u64, of: u64, text: &str) {
        if !self.shown.load(Ordering::Relaxed) {
            if self.begun.elapsed() < Duration::from_secs(1) || !std::io::stderr().is_terminal() {
                return;
            }
            self.shown.store(true, Ordering::Relaxed);
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_length(of.max(1));
        self.bar.set_position(done.min(of));
        self.bar.set_message(text.to_owned());
    }

    /// Gone.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
