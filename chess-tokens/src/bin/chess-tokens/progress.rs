//! How far a command is, on standard error if that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar with rate and time left; hidden where standard error is no terminal.
#[derive(Clone)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// For bytes of files.
    pub(crate) fn of_bytes(total: u64) -> Self {
        let bar = ProgressBar::new(total);
        let template = "{bar:30} {percent:>3} % of {binary_total_bytes}, {binary_bytes_per_sec}, {eta} left{msg}";
        let style = ProgressStyle::with_template(template);
        Self(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
    }

    /// For work on `total` of `unit`, if that is known.
    pub(crate) fn new(unit: &str, total: Option<u64>) -> Self {
        let bar = match total {
            Some(total) => ProgressBar::new(total),
            None => ProgressBar::no_length(),
        };
        bar.set_style(style(unit, total.is_some()));
        Self(bar)
    }

    pub(crate) fn set(&self, done: u64) {
        self.0.set_position(done);
    }

    /// Something more to tell, after the rest.
    pub(crate) fn tell(&self, text: String) {
        self.0.set_message(text);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn style(unit: &str, has_total: bool) -> ProgressStyle {
    let template = if has_total {
        format!(
            "{{bar:30}} {{percent:>3}} % of {{human_len}} {unit}, {{per_sec}}, {{eta}} left{{msg}}"
        )
    } else {
        format!("{{spinner}} {{human_pos}} {unit}, {{per_sec}}{{msg}}")
    };
    let style = ProgressStyle::with_template(&template);
    style.unwrap_or_else(|_| ProgressStyle::default_bar())
}
