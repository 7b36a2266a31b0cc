//! A progress bar that appears on a terminal once something takes longer than a second.

use super::output::Terminal;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Ends with this value.
pub struct Progress {
    bar: ProgressBar,
    /// Dropped at the end: the thread that waits to show the bar ends with it.
    _running: Option<Sender<()>>,
}

const PATIENCE: Duration = Duration::from_secs(1);

impl Progress {
    /// Of `steps` steps.
    pub fn new(terminal: &Terminal, steps: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{spinner} {bar:30} {pos}/{len} {msg} ({elapsed})");
        bar.set_style(style.unwrap_or(ProgressStyle::default_bar()));
        let running = terminal.shows_progress().then(|| show_later(bar.clone()));
        Self { bar, _running: running }
    }

    pub fn begin(&self, what: String) {
        self.bar.set_message(what);
    }

    /// Lets `print` write to the terminal without the bar in its way.
    pub fn suspend<R>(&self, print: impl FnOnce() -> R) -> R {
        self.bar.suspend(print)
    }

    pub fn done(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Progress {
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
