//! Statistics as SVG. The same numbers give the same text, byte for byte; letters are left to the fonts
//! of whoever looks at it.

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
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
        draw(&[self.lengths_picture()])
    }

    /// How many games have how many moves, as an SVG document.
    ///
    /// # Errors
    ///
    /// When there are no games, or their moves are not counted.
    pub fn plot_moves(&self) -> Result<String, PlotError> {
        draw(&[self.moves_picture()])
    }

    /// How many games have which ratings, as an SVG document.
    ///
    /// # Errors
    ///
    /// When no game tells its ratings.
    pub fn plot_elos(&self) -> Result<String, PlotError> {
        draw(&[self.elos_picture()])
    }

    /// How many games ended how, as an SVG document.
    ///
    /// # Errors
    ///
    /// When there are no games.
    pub fn plot_results(&self) -> Result<String, PlotError> {
        draw(&[self.results_picture()])
    }

    /// All pictures that there is something to draw in, as one SVG document.
    ///
    /// # Errors
    ///
    /// When there are no games.
    pub fn plot(&self) -> Result<String, PlotError> {
        draw(&[
            self.lengths_picture(),
            self.moves_picture(),
            self.elos_picture(),
            self.results_picture(),
        ])
    }

    fn lengths_picture(&self) -> Picture {
        Picture::of_counts("Tokens of a game", "tokens", &self.lengths)
    }

    /// Empty where moves are not counted.
    fn moves_picture(&self) -> Picture {
        let none = Counts::default();
        let moves = self.moves.as_ref().unwrap_or(&none);
        Picture::of_counts("Moves of a game, of either side", "moves", moves)
    }

    fn elos_picture(&self) -> Picture {
        let bars = |counts: &Counts| counts.iter().map(Bar::of_band).collect();
        let (white, black) = (bars(&self.white_elos), bars(&self.black_elos));
        Picture {
            title: "Ratings".into(),
            x: "rating",
            series: vec![("White", white, BLUE), ("Black", black, RED)],
        }
    }

    fn results_picture(&self) -> Picture {
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
            bars.push(Bar {
                name,
                ..Bar::new(2 * place, 1, count)
            });
            shares.push(format!("{name} {:.1} %", 100.0 * count as f64 / total));
        }
        Picture {
            title: format!("Results: {}", shares.join(", ")),
            x: "",
            series: vec![("games", bars, BLUE)],
        }
    }
}

/// What is drawn in one frame.
struct Picture {
    title: String,
    x: &'static str,
    series: Vec<Series>,
}

impl Picture {
    fn of_counts(title: &str, x: &'static str, counts: &Counts) -> Self {
        Self {
            title: title.into(),
            x,
            series: vec![("games", bars(counts), BLUE)],
        }
    }

    fn bars(&self) -> impl Iterator<Item = &Bar> {
        self.series.iter().flat_map(|(_, bars, _)| bars)
    }

    fn is_empty(&self) -> bool {
        self.bars().all(|bar| bar.games == 0)
    }
}

/// A bar from one number to another.
#[derive(Clone, Copy)]
struct Bar {
    low: f64,
    high: f64,
    games: u64,
    /// Where numbers along the axis would mean nothing.
    name: &'static str,
}

impl Bar {
    fn new(low: u64, width: u64, games: u64) -> Self {
        Self {
            low: low as f64,
            high: (low + width) as f64,
            games,
            name: "",
        }
    }

    fn of_band((elo, games): (u64, u64)) -> Self {
        Self::new(elo, BAND, games)
    }
}

type Series = (&'static str, Vec<Bar>, RGBColor);

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

/// Draws what is not empty, two pictures beside each other where there are several.
fn draw(pictures: &[Picture]) -> Result<String, PlotError> {
    let pictures: Vec<_> = pictures.iter().filter(|one| !one.is_empty()).collect();
    let columns = pictures.len().min(2);
    let rows = pictures.len().div_ceil(2);
    if pictures.is_empty() {
        return Err(PlotError::Empty);
    }
    let mut svg = String::new();
    let size = (SIZE.0 * columns as u32, SIZE.1 * rows as u32);
    let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
    let drawn = draw_all(&root, &pictures, (rows, columns));
    drop(root);
    match drawn {
        Ok(()) => Ok(svg),
        Err(error) => Err(PlotError::Draw {
            reason: error.to_string(),
        }),
    }
}

fn draw_all(root: &Area<'_>, pictures: &[&Picture], grid: (usize, usize)) -> Drawn {
    root.fill(&WHITE)?;
    for (area, picture) in root.split_evenly(grid).iter().zip(pictures) {
        draw_bars(area, picture)?;
    }
    root.present()?;
    Ok(())
}

fn draw_bars(area: &Area<'_>, picture: &Picture) -> Drawn {
    let low = picture.bars().map(|bar| bar.low);
    let low = low.fold(f64::INFINITY, f64::min);
    let high = picture.bars().map(|bar| bar.high).fold(low, f64::max);
    let most = picture.bars().map(|bar| bar.games).max().unwrap_or(0);
    let series = &picture.series;
    let mut chart = ChartBuilder::on(area)
        .caption(&picture.title, TITLE)
        .margin(16)
        .x_label_area_size(48)
        .y_label_area_size(80)
        .build_cartesian_2d(low..high, 0..most + most / 20 + 1)?;
    let is_named = picture.bars().any(|bar| !bar.name.is_empty());
    let x_labels = if is_named { 0 } else { 11 };
    chart
        .configure_mesh()
        .x_labels(x_labels)
        .disable_x_mesh()
        .max_light_lines(1)
        .label_style(LABEL)
        .x_desc(picture.x)
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
    if is_named {
        let style = LABEL
            .into_text_style(area)
            .pos(Pos::new(HPos::Center, VPos::Bottom));
        let middle = |bar: &Bar| f64::midpoint(bar.low, bar.high);
        let name = |bar: &Bar| Text::new(bar.name, (middle(bar), bar.games), style.clone());
        chart.draw_series(picture.bars().map(name))?;
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
            &["Results: White won ", "unknown 0.0 %", "\nBlack won\n"],
        );
        assert_eq!(stats.plot_lengths(), stats.plot_lengths());
    }

    #[test]
    fn all_in_one() {
        let uci = golden("uci").plot().unwrap();
        let titles = [
            "Tokens of a game",
            "Moves of a game",
            "Ratings",
            "Results: ",
        ];
        check("all.svg", &uci, &titles);
        assert!(uci.starts_with(r#"<svg width="1920" height="1280""#));
        let bpe = golden("bpe").plot().unwrap();
        check("bpe.svg", &bpe, &[titles[0], titles[3]]);
        assert!(bpe.starts_with(r#"<svg width="1920" height="640""#));
        assert!(!bpe.contains("Moves") && !bpe.contains("Ratings"));
    }

    #[test]
    fn nothing_to_draw() {
        let none = PackStats::new(Scheme::Bpe);
        for picture in [
            none.plot_lengths(),
            none.plot_moves(),
            none.plot_elos(),
            none.plot_results(),
            none.plot(),
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
