//! The cost of training, drawn.

use std::error::Error;
use std::path::Path;

use plotters::prelude::*;

/// What a record costs on one thread.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    pub hidden: usize,
    pub batch_size: usize,
    pub men: u32,
    /// Nanoseconds a record.
    pub ns: f64,
}

/// Draws three panels: against N, against the batch size, against the number of men.
pub fn plot(path: &Path, costs: &[Cost]) -> Result<(), Box<dyn Error>> {
    let area = SVGBackend::new(path, (1200, 400)).into_drawing_area();
    area.fill(&WHITE)?;
    let panels = area.split_evenly((1, 3));
    let base = |cost: &Cost| {
        (
            cost.hidden == 256,
            cost.batch_size == 16_384,
            cost.men == 30,
        )
    };
    let select = |wanted: fn((bool, bool, bool)) -> bool, x: fn(&Cost) -> f64| {
        let chosen = costs.iter().filter(|cost| wanted(base(cost)));
        let mut points: Vec<(f64, f64)> = chosen.map(|cost| (x(cost), cost.ns)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    };
    let panel =
        |index: usize, name: &str, points: Vec<(f64, f64)>| panel(&panels[index], name, &points);
    panel(0, "N", select(|is| is.1 && is.2, |cost| cost.hidden as f64))?;
    panel(
        1,
        "samples a batch",
        select(|is| is.0 && is.2, |cost| cost.batch_size as f64),
    )?;
    panel(
        2,
        "men",
        select(|is| is.0 && is.1, |cost| f64::from(cost.men)),
    )?;
    area.present()?;
    Ok(())
}

fn panel(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    name: &str,
    points: &[(f64, f64)],
) -> Result<(), Box<dyn Error>> {
    let ends = |axis: fn(&(f64, f64)) -> f64| {
        let values = points.iter().map(axis);
        let ends = values.fold((f64::MAX, 0.0f64), |(low, high), x| {
            (low.min(x), high.max(x))
        });
        (0.9 * ends.0)..(1.1 * ends.1)
    };
    let (x, y) = (ends(|point| point.0), ends(|point| point.1));
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(x.log_scale(), y.log_scale())?;
    chart
        .configure_mesh()
        .x_desc(name)
        .y_desc("ns a record, one thread")
        .draw()?;
    chart.draw_series(LineSeries::new(points.iter().copied(), &BLUE))?;
    let dots = points
        .iter()
        .map(|&point| Circle::new(point, 3, BLUE.filled()));
    chart.draw_series(dots)?;
    Ok(())
}
