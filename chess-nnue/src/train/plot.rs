//! Curves of a training run as SVG. The same numbers give the same text, byte for byte; letters are
//! left to the fonts of whoever looks at it.

use core::ops::Range;
use std::boxed::Box;
use std::error::Error;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use plotters::coord::Shift;
use plotters::prelude::*;
use thiserror::Error as ThisError;

use super::calibration::{Calibration, CalibrationBucket};

const SIZE: (u32, u32) = (960, 640);
/// How high the picture of the numbers of positions is, under the calibration.
const COUNTS_HEIGHT: u32 = 180;
pub(crate) const TITLE: (&str, u32) = ("sans-serif", 22);
pub(crate) const LABEL: (&str, u32) = ("sans-serif", 15);
pub(crate) const BLUE: RGBColor = RGBColor(40, 90, 170);
const RED: RGBColor = RGBColor(190, 50, 40);
pub(crate) const GRAY: RGBColor = RGBColor(150, 150, 150);

pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(crate) type Drawn = Result<(), Box<dyn Error>>;

/// Losses after so many steps, as a run's log has them: some rows have a training loss, some a
/// validation loss, some both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LossPoint {
    /// How many steps, or whatever else the rows are counted in.
    pub step: u64,
    /// The training loss there.
    pub training: Option<f64>,
    /// The validation loss there.
    pub validation: Option<f64>,
}

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, ThisError)]
#[non_exhaustive]
pub enum PlotError {
    /// There are no numbers to draw.
    #[error("nothing to draw")]
    Empty,
    /// A number that has no place in a picture.
    #[error("the loss at step {step} is {loss}")]
    NotFinite {
        /// The row's step.
        step: u64,
        /// The loss.
        loss: f64,
    },
    /// The picture could not be drawn.
    #[error("the picture could not be drawn: {reason}")]
    Draw {
        /// What the drawing library said.
        reason: String,
    },
}

/// Training and validation loss over the steps, as an SVG document.
///
/// # Errors
///
/// When no row has a loss, or one is not finite.
pub fn loss_curves(rows: &[LossPoint]) -> Result<String, PlotError> {
    let training = curve(rows, |row| row.training)?;
    let validation = curve(rows, |row| row.validation)?;
    if training.is_empty() && validation.is_empty() {
        return Err(PlotError::Empty);
    }
    draw(|root| draw_losses(root, &training, &validation))
}

/// The points won over the points predicted, beside the diagonal of perfect predictions, and under
/// it how many positions each bucket has; as an SVG document.
///
/// # Errors
///
/// When no bucket has a result.
pub fn calibration_curve(calibration: &Calibration) -> Result<String, PlotError> {
    let points = calibration.buckets.iter();
    let points: Vec<_> = points
        .filter_map(|bucket| Some((bucket.predicted?, bucket.actual?)))
        .collect();
    if points.is_empty() {
        return Err(PlotError::Empty);
    }
    draw(|root| {
        let (upper, lower) = root.split_vertically(SIZE.1 - COUNTS_HEIGHT);
        draw_calibration(&upper, &points)?;
        draw_counts(&lower, &calibration.buckets)
    })
}

type Points = Vec<(f64, f64)>;

fn curve(
    rows: &[LossPoint],
    loss: impl Fn(&LossPoint) -> Option<f64>,
) -> Result<Points, PlotError> {
    let points = rows.iter().filter_map(|row| Some((row.step, loss(row)?)));
    let finite = points.map(|(step, loss)| match loss.is_finite() {
        true => Ok((step as f64, loss)),
        false => Err(PlotError::NotFinite { step, loss }),
    });
    finite.collect()
}

pub(crate) fn draw(picture: impl FnOnce(&Area<'_>) -> Drawn) -> Result<String, PlotError> {
    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
    let drawn = root
        .fill(&WHITE)
        .map_err(Into::into)
        .and_then(|()| picture(&root))
        .and_then(|()| root.present().map_err(Into::into));
    drop(root);
    match drawn {
        Ok(()) => Ok(svg),
        Err(error) => Err(PlotError::Draw {
            reason: error.to_string(),
        }),
    }
}

fn draw_losses(root: &Area<'_>, training: &Points, validation: &Points) -> Drawn {
    let all = || training.iter().chain(validation);
    let steps = range(all().map(|point| point.0));
    let losses = range(all().map(|point| point.1));
    let mut chart = ChartBuilder::on(root)
        .caption("Loss", TITLE)
        .margin(16)
        .x_label_area_size(48)
        .y_label_area_size(80)
        .build_cartesian_2d(steps, losses)?;
    chart
        .configure_mesh()
        .max_light_lines(1)
        .label_style(LABEL)
        .x_desc("step")
        .y_desc("mean loss")
        .x_label_formatter(&|step| format!("{step:.0}"))
        .y_label_formatter(&|loss| format!("{loss:.4}"))
        .draw()?;
    for (name, points, color) in [
        ("training", training, BLUE),
        ("validation", validation, RED),
    ] {
        let line = LineSeries::new(points.iter().copied(), color.stroke_width(2));
        let key = move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2));
        chart.draw_series(line)?.label(name).legend(key);
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .label_font(LABEL)
        .background_style(WHITE)
        .border_style(GRAY)
        .draw()?;
    Ok(())
}

/// From the smallest to the largest value, with a margin, and never empty.
pub(crate) fn range(values: impl Iterator<Item = f64>) -> Range<f64> {
    let [low, high] = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| {
        [low.min(value), high.max(value)]
    });
    let margin = (high - low).max(low.abs() * 1e-3).max(1e-9) * 0.05;
    low - margin..high + margin
}

fn draw_calibration(area: &Area<'_>, points: &Points) -> Drawn {
    let mut chart = ChartBuilder::on(area)
        .caption("Predicted and actual points", TITLE)
        .margin(16)
        .x_label_area_size(16)
        .y_label_area_size(80)
        .build_cartesian_2d(0.0..1.0, 0.0..1.0)?;
    chart
        .configure_mesh()
        .max_light_lines(1)
        .label_style(LABEL)
        .x_label_formatter(&|_| String::new())
        .y_desc("points won")
        .y_label_formatter(&|points| format!("{points:.1}"))
        .draw()?;
    chart.draw_series(LineSeries::new([(0.0, 0.0), (1.0, 1.0)], &GRAY))?;
    let line = LineSeries::new(points.iter().copied(), BLUE.stroke_width(2));
    chart.draw_series(line.point_size(4))?;
    Ok(())
}

fn draw_counts(area: &Area<'_>, buckets: &[CalibrationBucket]) -> Drawn {
    let most = buckets.iter().map(|bucket| bucket.count).max().unwrap_or(0);
    let mut chart = ChartBuilder::on(area)
        .margin(16)
        .margin_top(0)
        .x_label_area_size(48)
        .y_label_area_size(80)
        .build_cartesian_2d(0.0..1.0, 0..most + most / 20 + 1)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .max_light_lines(1)
        .label_style(LABEL)
        .y_labels(4)
        .x_desc("points predicted for the side to move")
        .y_desc("positions")
        .x_label_formatter(&|points| format!("{points:.1}"))
        .draw()?;
    let bars = buckets.iter().map(|bucket| {
        let corners = [(bucket.low, 0), (bucket.high, bucket.count)];
        let mut bar = Rectangle::new(corners, BLUE.filled());
        bar.set_margin(0, 0, 1, 1);
        bar
    });
    chart.draw_series(bars)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use roxmltree::Document;

    fn rows() -> Vec<LossPoint> {
        let row = |step: u64| LossPoint {
            step: 12 * step,
            training: Some(0.03 + 0.03 / (step + 1) as f64),
            validation: step
                .is_multiple_of(4)
                .then(|| 0.037 + 0.02 / (step + 1) as f64),
        };
        (0..40).map(row).collect()
    }

    /// A picture of a run; `WRITE_PLOTS=folder` keeps the pictures for a look.
    fn check(name: &str, svg: &str) {
        if let Some(folder) = std::env::var_os("WRITE_PLOTS") {
            std::fs::write(std::path::Path::new(&folder).join(name), svg).unwrap();
        }
        let document = Document::parse(svg).unwrap();
        let root = document.root_element();
        assert_eq!(root.tag_name().name(), "svg");
        assert_eq!(root.attribute("width"), Some("960"));
        for number in document.descendants().flat_map(|node| node.attributes()) {
            assert!(!number.value().contains("NaN"), "{number:?}");
        }
    }

    fn texts(svg: &str) -> Vec<String> {
        let document = Document::parse(svg).unwrap();
        let texts = document
            .descendants()
            .filter(|node| node.has_tag_name("text"));
        texts
            .filter_map(|text| Some(text.text()?.trim().to_string()))
            .collect()
    }

    fn lines(svg: &str) -> usize {
        let document = Document::parse(svg).unwrap();
        let lines = document.descendants();
        lines
            .filter(|node| {
                node.has_tag_name("polyline") && node.attribute("stroke-width") == Some("2")
            })
            .count()
    }

    #[test]
    fn losses_are_two_lines_with_their_names() {
        let svg = loss_curves(&rows()).unwrap();
        check("losses.svg", &svg);
        let texts = texts(&svg);
        for text in ["Loss", "step", "training", "validation", "mean loss"] {
            assert!(texts.iter().any(|found| found == text), "{text}: {texts:?}");
        }
        // Two curves, and two keys to them.
        assert_eq!(lines(&svg), 4);
        assert_eq!(loss_curves(&rows()).unwrap(), svg, "the same every time");
    }

    #[test]
    fn one_row_is_enough() {
        let row = LossPoint {
            step: 3,
            training: Some(0.04),
            validation: None,
        };
        check("one.svg", &loss_curves(&[row]).unwrap());
    }

    fn calibration() -> Calibration {
        let bucket = |index: u64| {
            let low = index as f64 / 10.0;
            CalibrationBucket {
                low,
                high: low + 0.1,
                count: 1000 + 900 * index * (9 - index),
                wins: 0,
                draws: 2,
                losses: 0,
                predicted: Some(low + 0.05),
                actual: Some(0.5 + (low - 0.45) * 0.9),
                target: None,
            }
        };
        Calibration {
            buckets: (0..10).map(bucket).collect(),
            log_loss: None,
        }
    }

    #[test]
    fn calibration_is_a_line_over_bars() {
        let svg = calibration_curve(&calibration()).unwrap();
        check("calibration.svg", &svg);
        let texts = texts(&svg);
        for text in [
            "points won",
            "points predicted for the side to move",
            "positions",
            "1.0",
        ] {
            assert!(texts.iter().any(|found| found == text), "{text}: {texts:?}");
        }
        let document = Document::parse(&svg).unwrap();
        let shapes = |name| {
            let shapes = document.descendants();
            shapes.filter(|node| node.has_tag_name(name)).count()
        };
        assert_eq!(shapes("circle"), 10);
        // One a bucket, and the background.
        assert_eq!(shapes("rect"), 11);
        assert_eq!(lines(&svg), 1);
    }

    #[test]
    fn what_cannot_be_drawn_is_named() {
        let text = |rows: &[LossPoint]| loss_curves(rows).unwrap_err().to_string();
        assert_eq!(text(&[]), "nothing to draw");
        assert_eq!(text(&[LossPoint::default()]), "nothing to draw");
        let mut rows = rows();
        rows[4].validation = Some(f64::NAN);
        assert_eq!(text(&rows), "the loss at step 48 is NaN");
        let mut empty = calibration();
        empty
            .buckets
            .iter_mut()
            .for_each(|bucket| bucket.actual = None);
        assert_eq!(calibration_curve(&empty), Err(PlotError::Empty));
        let reason = "no ink".to_string();
        assert_eq!(
            PlotError::Draw { reason }.to_string(),
            "the picture could not be drawn: no ink"
        );
    }
}
