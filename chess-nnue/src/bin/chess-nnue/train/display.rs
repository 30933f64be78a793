//! How a run goes, on standard error.

use std::io::{self, IsTerminal, Write};

use chess_nnue::train::Event;
use indicatif::{ProgressBar, ProgressStyle};

/// A bar on a terminal, lines elsewhere, or nothing.
pub(crate) struct Display {
    bar: ProgressBar,
    quiet: bool,
    validation: String,
    rate: f64,
}

impl Display {
    pub(crate) fn new(quiet: bool) -> Self {
        let bar = match !quiet && io::stderr().is_terminal() {
            true => ProgressBar::no_length(),
            false => ProgressBar::hidden(),
        };
        let style = ProgressStyle::with_template("{spinner} {msg}");
        Self {
            bar: bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())),
            quiet,
            validation: "-".into(),
            rate: 0.0,
        }
    }

    /// Says what is done now, for as long as it takes.
    pub(crate) fn doing(&self, what: &str) {
        self.bar.set_message(what.to_owned());
        self.bar.tick();
    }

    /// A line that stays.
    pub(crate) fn say(&self, line: &str) {
        if self.quiet {
            return;
        }
        // Nobody can be told that nobody can be told.
        self.bar.suspend(|| {
            let _ = writeln!(io::stderr(), "{line}");
        });
    }

    pub(crate) fn on_event(&mut self, event: &Event<'_>) {
        match *event {
            Event::Damaged { damaged, .. } => {
                let error = crate::chain(&damaged.error);
                self.say(&format!("going on from an older checkpoint: {error}"));
            }
            Event::Start { step, steps, .. } => self.start(step, steps),
            Event::Step {
                step,
                epoch,
                training_loss,
                learning_rate,
                records_per_second,
                ..
            } => {
                self.rate = records_per_second;
                self.bar.set_position(step);
                let validation = &self.validation;
                self.bar.set_message(format!(
                    "{records_per_second:.0} records/s, epoch {epoch}, loss {training_loss:.5} \
                     training, {validation} held out, rate {learning_rate:.2e}"
                ));
            }
            Event::Epoch {
                epoch,
                epochs,
                training_loss,
                validation_loss,
                is_best,
                learning_rate,
                ..
            } => {
                self.validation = format!("{validation_loss:.5}");
                let best = if is_best { ", the best" } else { "" };
                let rate = self.rate;
                self.say(&format!(
                    "epoch {epoch} of {epochs}: loss {training_loss:.5} training, \
                     {validation_loss:.5} held out{best}; rate {learning_rate:.2e}, {rate:.0} \
                     records/s"
                ));
            }
            _ => {}
        }
    }

    fn start(&self, step: u64, steps: u64) {
        let style = ProgressStyle::with_template("{bar:20} {percent:>3}% {eta} left, {msg}");
        if let Ok(style) = style {
            self.bar.set_style(style);
        }
        self.bar.set_length(steps);
        self.bar.set_position(step);
        self.bar.reset_eta();
        self.bar.set_message("");
        if step > 0 {
            self.say(&format!("going on after step {step} of {steps}"));
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
