//! Rates as SVG. Texts are left to the fonts of whoever looks at it.

use std::error::Error;

use plotters::prelude::*;

use crate::commands::bench::{Rate, Way};
use crate::failure::Failure;

const SIZE: (u32, u32) = (1000, 640);

/// Rows per second by the size of batches, a line for each way.
pub(crate) fn draw(rates: &[Rate]) -> Result<String, Failure> {
    let mut svg = String::new();
    draw_to(rates, &mut svg).map_err(Failure::Other)?;
    Ok(svg)
}

fn draw_to(rates: &[Rate], svg: &mut String) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let batches = ends(rates.iter().map(|rate| rate.batch as f64));
    let speeds = ends(rates.iter().map(|rate| rate.rows_per_second));
    let mut chart = ChartBuilder::on(&root)
        .caption("rows gathered per second", ("sans-serif", 22))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(80)
        .build_cartesian_2d(
            (batches.0 / 1.2..batches.1 * 1.2).log_scale(),
            (speeds.0 / 2.0..speeds.1 * 2.0).log_scale(),
        )?;
    chart
        .configure_mesh()
        .x_desc("rows in a batch")
        .y_desc("rows per second")
        .y_label_formatter(&short)
        .x_label_formatter(&short)
        .draw()?;
    for (number, of_way) in rates
        .chunk_by(|one, other| one.way == other.way)
        .enumerate()
    {
        let color = Palette99::pick(number).to_rgba();
        let points = of_way
            .iter()
            .map(|rate| (rate.batch as f64, rate.rows_per_second));
        let way: Way = of_way[0].way;
        chart
            .draw_series(LineSeries::new(points, color.stroke_width(2)).point_size(3))?
            .label(way.to_string())
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.4))
        .draw()?;
    root.present()?;
    Ok(())
}

fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::MAX, 1.0), |(low, high), value| {
        (low.min(value.max(1.0)), high.max(value))
    })
}

/// 20000 as 20k, 3000000 as 3M.
fn short(value: &f64) -> String {
    match *value {
        value if value >= 1e6 => format!("{}M", value / 1e6),
        value if value >= 1e4 => format!("{}k", value / 1e3),
        value => format!("{value}"),
    }
}
