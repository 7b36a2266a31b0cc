//! A progress bar that appears on a terminal once something takes longer than a second.

use super::output::Terminal;
use chronos_pipeline::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Ends with this value.
pub struct TerminalProgress<'a> {
    terminal: &'a Terminal,
    bar: ProgressBar,
    /// Dropped at the end: the thread that waits to show the bar ends with it.
    running: OnceLock<Sender<()>>,
}

const PATIENCE: Duration = Duration::from_secs(1);

impl<'a> TerminalProgress<'a> {
    pub fn new(terminal: &'a Terminal) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{spinner} {bar:30} {pos}/{len} {msg} ({elapsed})");
        bar.set_style(style.unwrap_or(ProgressStyle::default_bar()));
        Self { terminal, bar, running: OnceLock::new() }
    }

    /// Says what is being done.
    pub fn describe(&self, what: String) {
        self.bar.set_message(what);
    }

    /// Lets `print` write to the terminal without the bar in its way.
    pub fn suspend<R>(&self, print: impl FnOnce() -> R) -> R {
        self.bar.suspend(print)
    }
}

impl Progress for TerminalProgress<'_> {
    fn programs_read(&self, took: Duration) {
        self.terminal.tell(|| format!("preprocessed, parsed and lowered in {took:.3?}"));
    }

    fn begin(&self, steps: u64) {
        self.bar.set_length(steps);
        self.bar.reset_elapsed();
        if self.terminal.shows_progress() {
            self.running.get_or_init(|| show_later(self.bar.clone()));
        }
    }

    fn advance(&self) {
        self.bar.inc(1);
    }
}

impl Drop for TerminalProgress<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn show_later(bar: ProgressBar) -> Sender<()> {
    let (sender, receiver) = channel::<()>();
    std::thread::spawn(move || {
        if receiver.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(Duration::from_millis(200));
        }
    });
    sender
}
