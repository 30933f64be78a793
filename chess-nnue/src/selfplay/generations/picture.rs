//! Pictures of generations as SVG.

use std::format;
use std::string::String;
use std::vec::Vec;

use plotters::prelude::*;

use super::{Generation, name};
use crate::selfplay::matches::Elo;
use crate::train::plot::{Area, BLUE, Drawn, GRAY, LABEL, TITLE, draw, range};
use crate::train::{LossPoint, PlotError, loss_curves};

/// A generation's losses over its epochs.
pub(super) fn losses(generation: &Generation) -> Result<String, PlotError> {
    let epochs = (1..).zip(&generation.losses);
    let points = epochs.map(|(step, losses)| LossPoint {
        step,
        training: Some(losses.training),
        validation: Some(losses.held_out),
    });
    loss_curves(&points.collect::<Vec<_>>())
}

/// A step of the ladder.
struct Rung {
    generation: u64,
    /// The lead over the rules in Elo: the lower end of its interval, itself, the upper end.
    lead: [f64; 3],
}

/// Who wins or loses everything is shown this far away.
const LIMIT: f64 = 1_200.0;

/// How far each generation is ahead of the rules, with its 95 % interval.
pub(super) fn ladder(generations: &[Generation]) -> Result<String, PlotError> {
    let rungs: Vec<_> = generations.iter().filter_map(rung).collect();
    if rungs.is_empty() {
        return Err(PlotError::Empty);
    }
    draw(|root| draw_ladder(root, &rungs))
}

fn rung(generation: &Generation) -> Option<Rung> {
    let mut meetings = generation.meetings.iter();
    let pairs = &meetings.find(|meeting| meeting.against == 0)?.pairs;
    let Elo { low, mid, high } = pairs.elo()?;
    Some(Rung {
        generation: generation.number,
        lead: [low, mid, high].map(|elo| elo.clamp(-LIMIT, LIMIT)),
    })
}

fn draw_ladder(root: &Area<'_>, rungs: &[Rung]) -> Drawn {
    let leads = range(rungs.iter().flat_map(|rung| rung.lead).chain([0.0]));
    let last = rungs.iter().map(|rung| rung.generation).max().unwrap_or(0);
    let mut chart = ChartBuilder::on(root)
        .caption("Elo over the evaluation by rules", TITLE)
        .margin(16)
        .x_label_area_size(48)
        .y_label_area_size(80)
        .build_cartesian_2d(0.0..last as f64 + 0.5, leads)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .max_light_lines(1)
        .label_style(LABEL)
        .x_labels(last as usize + 1)
        .x_label_formatter(&|at| whole(*at).map(name).unwrap_or_default())
        .y_desc("Elo, with its 95 % interval")
        .y_label_formatter(&|elo| format!("{elo:+.0}"))
        .draw()?;
    let points = rungs
        .iter()
        .map(|rung| (rung.generation as f64, rung.lead[1]));
    let steps = [(0.0, 0.0)].into_iter().chain(points);
    chart.draw_series(LineSeries::new(steps, &GRAY))?;
    for &Rung { generation, lead } in rungs {
        let [low, mid, high] = lead.map(|elo| (generation as f64, elo));
        let interval = PathElement::new([low, high], BLUE.stroke_width(2));
        chart.draw_series([interval])?;
        chart.draw_series([Circle::new(mid, 4, BLUE.filled())])?;
    }
    Ok(())
}

/// The generation at a mark of the axis.
fn whole(at: f64) -> Option<u64> {
    (at.fract().abs() < 1e-6).then_some(at as u64)
}
