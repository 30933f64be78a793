//! What commands say, on standard output; notes go to standard error.

pub(crate) mod bars;
pub(crate) mod board;
mod files;
pub(crate) mod plot;

use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::{Value, json};

use chess_records::GameResult;
use chess_records::ops::{DistinctPositions, Statistics};

use crate::failure::Failure;
use crate::format::Format;
use crate::streams::is_pipe;
use files::PlainScores;

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

/// What files are made of.
pub(crate) struct Report {
    format: Format,
    files: Vec<PathBuf>,
    pub(crate) statistics: Statistics,
    distinct: DistinctPositions,
    /// In files of games.
    games: Option<Games>,
    plain_scores: PlainScores,
    /// What is told of files beside their records.
    facts: Vec<(&'static str, String)>,
    faults: u64,
    first_fault: Option<String>,
}

/// Whole games.
#[derive(Clone, Copy, Default)]
struct Games {
    games: u64,
    plies: u64,
}

impl Report {
    pub(crate) fn new(format: Format) -> Self {
        Self {
            format,
            files: Vec::new(),
            statistics: Statistics::default(),
            distinct: DistinctPositions::default(),
            games: None,
            plain_scores: PlainScores::default(),
            facts: Vec::new(),
            faults: 0,
            first_fault: None,
        }
    }

    /// Prints everything, and fails if there were faults.
    pub(crate) fn print(&self, as_json: bool) -> Result<(), Failure> {
        print(&if as_json {
            format!("{:#}\n", self.json())
        } else {
            self.table() + &self.histograms()
        })?;
        if self.faults > 0 {
            Err(Failure::Said)
        } else {
            Ok(())
        }
    }

    fn names(&self) -> Vec<String> {
        let name = |path: &PathBuf| {
            if is_pipe(path) {
                "standard input".into()
            } else {
                path.display().to_string()
            }
        };
        self.files.iter().map(name).collect()
    }

    fn game_count(&self) -> Option<u64> {
        match self.games {
            Some(games) => Some(games.games),
            None => self.statistics.games.games(),
        }
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        let statistics = &self.statistics;
        let games = self.game_count();
        let scores = &statistics.scores;
        let mut rows = vec![
            ("files", self.names().join(", ")),
            ("format", self.format.name().into()),
        ];
        rows.extend(self.facts.clone());
        rows.extend([
            ("positions", statistics.positions.to_string()),
            (
                "games",
                games.map_or(
                    "not told (no move numbers, or not in game order)".into(),
                    |n| n.to_string(),
                ),
            ),
            (
                "White, Black to move",
                format!("{}, {}", statistics.sides[0], statistics.sides[1]),
            ),
            ("different positions", self.distinct_text()),
            ("may castle", statistics.castling.to_string()),
            ("no move number", statistics.unnumbered.to_string()),
        ]);
        rows.extend(self.games.map(|games| ("plies", games.plies.to_string())));
        rows.extend(self.plain_scores.text().map(|text| ("score", text)));
        if let (Some(mean), Some((low, high))) = (scores.mean_cp(), scores.extremes_cp()) {
            rows.push((
                "score",
                format!("{low} to {high}, mean {mean:.1} centipawns (White's side)"),
            ));
        }
        if statistics.corner_bishops.looks_damaged() {
            rows.push(("WARNING", statistics.corner_bishops.to_string()));
        }
        rows.push(("faults", self.faults.to_string()));
        rows.extend(self.first_fault.clone().map(|fault| ("first fault", fault)));
        rows
    }

    fn distinct_text(&self) -> String {
        let (distinct, share) = (self.distinct.distinct(), self.distinct.duplicate_share());
        format!(
            "about {distinct}, {:.1} % are duplicates (estimated within 2 %)",
            100.0 * share
        )
    }

    fn table(&self) -> String {
        let rows = self.rows();
        let width = rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
        rows.iter()
            .map(|(name, value)| format!("{name:width$}  {value}\n"))
            .collect()
    }

    fn histograms(&self) -> String {
        let statistics = &self.statistics;
        let numbered = |counts: &[u64]| -> Vec<(String, u64)> {
            (0..)
                .zip(counts)
                .map(|(n, &count): (u32, _)| (n.to_string(), count))
                .collect()
        };
        let scores: Vec<_> = score_bins(statistics).collect();
        bars::drawn("result", &result_counts(statistics))
            + &bars::drawn("score, centipawns (White's side)", &scores)
            + &bars::drawn("phase", &numbered(&statistics.phases))
            + &bars::drawn("men", &numbered(&statistics.men))
    }

    fn json(&self) -> Value {
        let statistics = &self.statistics;
        let [black, draw, white] = statistics.results;
        let scores: Vec<_> = statistics
            .scores
            .bins()
            .map(|(middle_cp, count)| json!({ "middle_cp": middle_cp, "count": count }))
            .collect();
        let bishops = &statistics.corner_bishops;
        let fact = |(name, text): &(&str, String)| json!({ "name": name, "text": text });
        let facts: Vec<_> = self.facts.iter().map(fact).collect();
        json!({
            "files": self.names(),
            "format": self.format.name(),
            "positions": statistics.positions,
            "games": self.game_count(),
            "plies": self.games.map(|games| games.plies),
            "details": facts,
            "results": { "white_won": white, "draw": draw, "black_won": black },
            "sides": { "white": statistics.sides[0], "black": statistics.sides[1] },
            "distinct_estimate": self.distinct.distinct(),
            "castling": statistics.castling,
            "no_move_number": statistics.unnumbered,
            "score_mean_cp": statistics.scores.mean_cp(),
            "score_lowest_cp": statistics.scores.extremes_cp().map(|ends| ends.0),
            "score_highest_cp": statistics.scores.extremes_cp().map(|ends| ends.1),
            "scores": scores,
            "phases": statistics.phases,
            "men": statistics.men.as_slice(),
            "corner_bishops": {
                "early": bishops.early(),
                "suspicious": bishops.suspicious(),
                "looks_damaged": bishops.looks_damaged(),
            },
            "faults": self.faults,
            "first_fault": self.first_fault,
        })
    }
}

/// Results with their names, best for White first.
pub(crate) fn result_counts(statistics: &Statistics) -> Vec<(String, u64)> {
    let name = |result| match result {
        GameResult::WhiteWon => "White won",
        GameResult::Draw => "draw",
        GameResult::BlackWon => "Black won",
    };
    let results = GameResult::ALL.into_iter().zip(statistics.results).rev();
    results
        .map(|(result, count)| (name(result).into(), count))
        .collect()
}

/// Bins of scores with their names.
pub(crate) fn score_bins(statistics: &Statistics) -> impl Iterator<Item = (String, u64)> {
    let bins = statistics.scores.bins();
    let last = bins.len() - 1;
    bins.enumerate().map(move |(index, (middle, count))| {
        let name = match index {
            0 => format!("≤ {middle}"),
            index if index == last => format!("≥ {middle}"),
            _ => middle.to_string(),
        };
        (name, count)
    })
}
