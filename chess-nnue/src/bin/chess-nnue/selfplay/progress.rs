//! How far games have come, on standard error if that is a terminal.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressStyle};

/// A bar with a rate and the time left.
pub(super) fn bar(total: u64, unit: &str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let template = format!("{{bar:30}} {{pos}}/{{len}} {unit}, {{per_sec}}, {{eta}} left  {{msg}}");
    let style = ProgressStyle::with_template(&template);
    let bar = ProgressBar::new(total);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
