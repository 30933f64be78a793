//! What commands say, on standard output; notes go to standard error.

use std::io::{self, Write};

use chess_shards::build::{BuildReport, BuildSummary};

use crate::failure::Failure;

/// Prints to standard output.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}

/// Prints a line to standard error.
pub(crate) fn note(line: &str) -> Result<(), Failure> {
    Ok(writeln!(io::stderr(), "{line}")?)
}

/// Names and what there is to say of each.
pub(crate) fn facts(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|row| row.0.chars().count()).max();
    let width = width.unwrap_or(0);
    rows.iter()
        .map(|(name, value)| format!("{name:width$}  {value}\n"))
        .collect()
}

/// Columns under their names: words to the left, numbers to the right.
pub(crate) fn columns(names: &[&str], rows: &[Vec<String>]) -> String {
    let is_number = |text: &String| text.starts_with(|first: char| first.is_ascii_digit());
    let mut lines = vec![String::new(); rows.len() + 1];
    for (column, name) in names.iter().enumerate() {
        let cells: Vec<_> = rows.iter().map(|row| &row[column]).collect();
        let to_the_right = cells.iter().any(|cell| is_number(cell));
        let width = cells.iter().map(|cell| cell.chars().count()).max();
        let width = width.unwrap_or(0).max(name.chars().count());
        let name = &name.to_string();
        for (line, cell) in lines.iter_mut().zip([name].into_iter().chain(cells)) {
            if !line.is_empty() {
                line.push_str("  ");
            }
            line.push_str(&if to_the_right {
                format!("{cell:>width$}")
            } else {
                format!("{cell:width$}")
            });
        }
    }
    let lines = lines.iter().map(|line| format!("{}\n", line.trim_end()));
    lines.collect()
}

/// What was built, and what became of the games.
pub(crate) fn built(summary: &BuildSummary) -> String {
    let shards = &summary.shards;
    let report = &summary.report;
    let mut rows = vec![
        (
            "shards",
            format!(
                "{} ({}..{}), {} of them were there",
                shards.len(),
                shards.start,
                shards.end,
                summary.kept_shards
            ),
        ),
        ("samples", report.samples.to_string()),
        ("games that count", report.games.to_string()),
    ];
    rows.extend(left_out(report));
    rows.extend([
        ("shorter than 2 plies", report.skipped_games.to_string()),
        (
            "outside of the Elo bounds",
            report.filtered_games.to_string(),
        ),
        ("ended at a bad move", report.bad_push_games.to_string()),
        (
            "samples of over 64 moves",
            report.overflow_samples.to_string(),
        ),
    ]);
    facts(&rows)
}

fn left_out(report: &BuildReport) -> Vec<(&'static str, String)> {
    let Some(left_out) = report.left_out else {
        return vec![("left out", "not counted".into())];
    };
    let reasons = [
        ("  a variant", left_out.variant),
        ("  another start", left_out.start),
        ("  no result", left_out.result),
        ("  no Elo", left_out.missing_elo),
        ("  an illegal move", left_out.illegal_move),
        ("  an ambiguous move", left_out.ambiguous_move),
        ("  no move", left_out.no_move),
        ("  too long", left_out.too_long),
    ];
    let reasons = reasons.into_iter().filter(|&(_, games)| games > 0);
    let mut rows = vec![("left out", left_out.total().to_string())];
    rows.extend(reasons.map(|(name, games)| (name, games.to_string())));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_below_each_other() {
        let row = |cells: [&str; 2]| cells.map(String::from).to_vec();
        assert_eq!(
            columns(&["way", "rate"], &[row(["a", "10"]), row(["long", "9"])]),
            "way   rate\na       10\nlong     9\n"
        );
        assert_eq!(
            facts(&[("a", "1".into()), ("bcd", "2".into())]),
            "a    1\nbcd  2\n"
        );
    }
}
