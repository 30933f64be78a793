//! Histograms as SVG. Texts are left to the fonts of whoever looks at it.

use std::error::Error;
use std::io::Write;

use plotters::coord::Shift;
use plotters::prelude::*;

use chess_records::ops::Statistics;

use crate::failure::Failure;
use crate::report::result_counts;

const SIZE: (u32, u32) = (1200, 800);
const BLUE: RGBColor = RGBColor(70, 110, 170);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws results, scores, phases and men.
pub(crate) fn draw(statistics: &Statistics, sink: &mut impl Write) -> Result<(), Failure> {
    let mut svg = String::new();
    let drawn = draw_all(statistics, &mut svg);
    drawn.map_err(Failure::Other)?;
    Ok(sink.write_all(svg.as_bytes())?)
}

fn draw_all(statistics: &Statistics, svg: &mut String) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let areas = root.split_evenly((2, 2));
    let results = result_counts(statistics);
    let names: Vec<_> = results.iter().map(|row| row.0.clone()).collect();
    let results: Vec<_> = (0..).zip(results).map(|(n, row)| (n, row.1)).collect();
    let result_name = |n: &i32| names.get(*n as usize).cloned().unwrap_or_default();
    histogram(&areas[0], "result", &results, 1, result_name)?;
    let scores: Vec<_> = statistics
        .scores
        .bins()
        .map(|(cp, n)| (i32::from(cp), n))
        .collect();
    let number = |n: &i32| n.to_string();
    histogram(
        &areas[1],
        "score, centipawns (White's side)",
        &scores,
        100,
        number,
    )?;
    histogram(&areas[2], "phase", &numbered(&statistics.phases), 1, number)?;
    histogram(&areas[3], "men", &numbered(&statistics.men), 1, number)?;
    root.present()?;
    Ok(())
}

fn numbered(counts: &[u64]) -> Vec<(i32, u64)> {
    (0..).zip(counts.iter().copied()).collect()
}

fn histogram(
    area: &Area<'_>,
    title: &str,
    counts: &[(i32, u64)],
    step: i32,
    name: impl Fn(&i32) -> String,
) -> Result<(), Box<dyn Error>> {
    let (Some(first), Some(last)) = (counts.first(), counts.last()) else {
        return Ok(());
    };
    let largest = counts.iter().map(|row| row.1).max().unwrap_or(0).max(1);
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(32)
        .y_label_area_size(80)
        .build_cartesian_2d(first.0 - step..last.0 + step, 0..largest + largest / 20 + 1)?;
    let labels = if counts.len() < 8 {
        counts.len() + 2
    } else {
        12
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(labels)
        .x_label_formatter(&|n| name(n))
        .draw()?;
    let bars = counts.iter().map(|&(at, count)| {
        let mut bar = Rectangle::new([(at, 0), (at + step, count)], BLUE.filled());
        bar.set_margin(0, 0, 1, 1);
        bar
    });
    chart.draw_series(bars)?;
    Ok(())
}
