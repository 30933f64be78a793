//! Statistics as SVG. The same numbers give the same text, byte for byte; letters are left to the fonts
//! of whoever looks at it.

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;
use thiserror::Error as ThisError;

use super::{Counts, PackStats};

const SIZE: (u32, u32) = (960, 640);
const TITLE: (&str, u32) = ("sans-serif", 22);
const LABEL: (&str, u32) = ("sans-serif", 15);
const BLUE: RGBColor = RGBColor(40, 90, 170);
const RED: RGBColor = RGBColor(190, 50, 40);
const GRAY: RGBColor = RGBColor(150, 150, 150);
/// The most bars of a picture.
const MOST_BARS: u64 = 120;
/// How wide a band of ratings is.
const BAND: u64 = 100;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn Error>>;

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum PlotError {
    /// There are no numbers to draw.
    #[error("nothing to draw")]
    Empty,
    /// The picture could not be drawn.
    #[error("the picture could not be drawn: {reason}")]
    Draw {
        /// What the drawing library said.
        reason: String,
    },
}

#[cfg_attr(docsrs, doc(cfg(feature = "plot")))]
impl PackStats {
    /// How many games have how many tokens, as an SVG document.
    ///
    /// # Errors
    ///
    /// When there are no games.
    pub fn plot_lengths(&self) -> Result<String, PlotError> {
        plot_counts("Tokens of a game", "tokens", &self.lengths)
    }

    /// How many games have how many moves, as an SVG document.
    ///
    /// # Errors
    ///
    /// When there are no games, or their moves are not counted.
    pub fn plot_moves(&self) -> Result<String, PlotError> {
        let moves = self.moves.as_ref().ok_or(PlotError::Empty)?;
        plot_counts("Moves of a game, of either side", "moves", moves)
    }

    /// How many games have which ratings, as an SVG document.
    ///
    /// # Errors
    ///
    /// When no game tells its ratings.
    pub fn plot_elos(&self) -> Result<String, PlotError> {
        let bars = |counts: &Counts| counts.iter().map(Bar::of_band).collect::<Vec<_>>();
        let (white, black) = (bars(&self.white_elos), bars(&self.black_elos));
        let words = Words {
            title: "Ratings",
            x: "rating",
        };
        draw(&words, &[("White", white, BLUE), ("Black", black, RED)])
    }

    /// How many games ended how, as an SVG document.
    ///
    /// # Errors
    ///
    /// When there are no games.
    pub fn plot_results(&self) -> Result<String, PlotError> {
        let results = self.results;
        let counts = [
            ("White won", results.white_won),
            ("draw", results.draws),
            ("Black won", results.black_won),
            ("unknown", results.unknown),
        ];
        let total = results.total().max(1) as f64;
        let mut bars = Vec::new();
        let mut shares = Vec::new();
        for ((name, count), place) in counts.into_iter().zip(0..) {
            bars.push(Bar::new(place, 1, count));
            shares.push(format!("{name} {:.1} %", 100.0 * count as f64 / total));
        }
        let title = format!("Results: {}", shares.join(", "));
        let words = Words {
            title: &title,
            x: "White won, draw, Black won, unknown",
        };
        draw(&words, &[("games", bars, BLUE)])
    }
}

struct Words<'a> {
    title: &'a str,
    x: &'a str,
}

/// A bar from one number to another.
#[derive(Clone, Copy)]
struct Bar {
    low: f64,
    high: f64,
    games: u64,
}

impl Bar {
    fn new(low: u64, width: u64, games: u64) -> Self {
        Self {
            low: low as f64,
            high: (low + width) as f64,
            games,
        }
    }

    fn of_band((elo, games): (u64, u64)) -> Self {
        Self::new(elo, BAND, games)
    }
}

type Series<'a> = (&'a str, Vec<Bar>, RGBColor);

fn plot_counts(title: &str, x: &str, counts: &Counts) -> Result<String, PlotError> {
    draw(&Words { title, x }, &[("games", bars(counts), BLUE)])
}

/// Numbers that lie together in bars of one width.
fn bars(counts: &Counts) -> Vec<Bar> {
    let width = counts.max().unwrap_or(0) / MOST_BARS + 1;
    let mut bars: Vec<Bar> = Vec::new();
    for (number, games) in counts.iter() {
        let low = number / width * width;
        match bars.last_mut() {
            Some(last) if last.low == low as f64 => last.games += games,
            _ => bars.push(Bar::new(low, width, games)),
        }
    }
    bars
}

fn draw(words: &Words<'_>, series: &[Series<'_>]) -> Result<String, PlotError> {
    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
    let all: Vec<Bar> = series
        .iter()
        .flat_map(|(_, bars, _)| bars)
        .copied()
        .collect();
    if all.iter().all(|bar| bar.games == 0) {
        return Err(PlotError::Empty);
    }
    let drawn = draw_bars(&root, words, series, &all);
    drop(root);
    match drawn {
        Ok(()) => Ok(svg),
        Err(error) => Err(PlotError::Draw {
            reason: error.to_string(),
        }),
    }
}

fn draw_bars(root: &Area<'_>, words: &Words<'_>, series: &[Series<'_>], all: &[Bar]) -> Drawn {
    root.fill(&WHITE)?;
    let low = all.iter().map(|bar| bar.low).fold(f64::INFINITY, f64::min);
    let high = all.iter().map(|bar| bar.high).fold(low, f64::max);
    let most = all.iter().map(|bar| bar.games).max().unwrap_or(0);
    let mut chart = ChartBuilder::on(root)
        .caption(words.title, TITLE)
        .margin(16)
        .x_label_area_size(48)
        .y_label_area_size(80)
        .build_cartesian_2d(low..high, 0..most + most / 20 + 1)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .max_light_lines(1)
        .label_style(LABEL)
        .x_desc(words.x)
        .y_desc("games")
        .x_label_formatter(&|number| format!("{number:.0}"))
        .draw()?;
    // Bars of several series stand side by side.
    let parts = series.len() as f64;
    for (part, (name, bars, color)) in series.iter().enumerate() {
        let color = *color;
        let rectangles = bars.iter().map(|bar| {
            let width = (bar.high - bar.low) / parts;
            let low = bar.low + width * part as f64;
            Rectangle::new([(low, 0), (low + width, bar.games)], color.filled())
        });
        let key = move |(x, y)| Rectangle::new([(x, y - 5), (x + 12, y + 5)], color.filled());
        chart.draw_series(rectangles)?.label(*name).legend(key);
    }
    if series.len() > 1 {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .label_font(LABEL)
            .background_style(WHITE)
            .border_style(GRAY)
            .draw()?;
    }
    root.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::golden;
    use super::*;
    use crate::Scheme;

    /// `WRITE_PLOTS=folder` keeps the pictures for a look.
    fn check(name: &str, svg: &str, texts: &[&str]) {
        if let Some(folder) = std::env::var_os("WRITE_PLOTS") {
            std::fs::write(std::path::Path::new(&folder).join(name), svg).unwrap();
        }
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(!svg.contains("NaN"));
        for text in texts {
            assert!(svg.contains(text), "{name} has no {text}");
        }
    }

    #[test]
    fn pictures() {
        let stats = golden("uci");
        check(
            "lengths.svg",
            &stats.plot_lengths().unwrap(),
            &["Tokens of a game", "games"],
        );
        check(
            "moves.svg",
            &stats.plot_moves().unwrap(),
            &["Moves of a game"],
        );
        check(
            "elos.svg",
            &stats.plot_elos().unwrap(),
            &["Ratings", "White", "Black"],
        );
        let results = stats.plot_results().unwrap();
        check(
            "results.svg",
            &results,
            &["Results: White won ", "unknown 0.0 %"],
        );
        assert_eq!(stats.plot_lengths(), stats.plot_lengths());
    }

    #[test]
    fn nothing_to_draw() {
        let none = PackStats::new(Scheme::Bpe);
        for picture in [
            none.plot_lengths(),
            none.plot_moves(),
            none.plot_elos(),
            none.plot_results(),
        ] {
            assert_eq!(picture, Err(PlotError::Empty));
        }
        assert_eq!(PlotError::Empty.to_string(), "nothing to draw");
        let reason = "no ink".to_owned();
        let text = "the picture could not be drawn: no ink";
        assert_eq!(PlotError::Draw { reason }.to_string(), text);
    }

    #[test]
    fn bars_hold_everything() {
        let mut counts = Counts::default();
        for number in [0, 1, 299, 300, 5] {
            counts.add(number);
        }
        let bars = bars(&counts);
        let bars: Vec<_> = bars
            .iter()
            .map(|bar| (bar.low, bar.high, bar.games))
            .collect();
        assert_eq!(
            bars,
            [
                (0.0, 3.0, 2),
                (3.0, 6.0, 1),
                (297.0, 300.0, 1),
                (300.0, 303.0, 1)
            ]
        );
    }
}
