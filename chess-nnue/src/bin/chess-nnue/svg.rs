//! First-layer weights drawn as boards.

use std::fmt::Write;

use chess_nnue::{Architecture, Weights};

const SQUARE: usize = 6;
const BOARD: usize = 8 * SQUARE + 6;
const LABEL: usize = 60;
const MEN: [&str; 12] = [
    "own pawn",
    "knight",
    "bishop",
    "rook",
    "queen",
    "king",
    "their pawn",
    "knight",
    "bishop",
    "rook",
    "queen",
    "king",
];

/// A row of twelve boards for each of the `count` hidden values with the largest output weights: how
/// much a man on each square adds (red) or takes (blue), as that side sees the board, its own first
/// rank below. Of several king buckets the first is drawn.
pub(crate) fn draw(architecture: &Architecture, weights: &Weights, count: usize) -> String {
    let hidden = heaviest(architecture, weights, count);
    let (width, height) = (LABEL + 12 * BOARD, 20 + hidden.len() * BOARD);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"9\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    for (man, name) in MEN.iter().enumerate() {
        let x = LABEL + man * BOARD;
        push(
            &mut svg,
            format_args!("<text x=\"{x}\" y=\"12\">{name}</text>\n"),
        );
    }
    for (row, &hidden) in hidden.iter().enumerate() {
        draw_row(&mut svg, architecture, weights, hidden, 20 + row * BOARD);
    }
    svg + "</svg>\n"
}

/// Hidden values in the order of the weight that both halves of all output rows give them.
fn heaviest(architecture: &Architecture, weights: &Weights, count: usize) -> Vec<usize> {
    let hidden = architecture.hidden();
    let mut sizes = vec![0u64; hidden];
    for (index, weight) in weights.output_weights.iter().enumerate() {
        sizes[index % hidden] += u64::from(weight.unsigned_abs());
    }
    let mut order: Vec<usize> = (0..hidden).collect();
    order.sort_by_key(|&index| (std::cmp::Reverse(sizes[index]), index));
    order.truncate(count);
    order
}

fn draw_row(
    svg: &mut String,
    architecture: &Architecture,
    weights: &Weights,
    hidden: usize,
    top: usize,
) {
    let weight = |input: usize| weights.feature_weights[input * architecture.hidden() + hidden];
    let inputs = 0..Architecture::INPUTS_PER_BUCKET;
    let largest = inputs.clone().map(|input| weight(input).unsigned_abs());
    let largest = largest.max().unwrap_or(0).max(1);
    let y = top + BOARD / 2;
    push(
        svg,
        format_args!("<text x=\"4\" y=\"{y}\">{hidden} (±{largest})</text>\n"),
    );
    for input in inputs {
        let (man, square) = (input / 64, input % 64);
        let x = LABEL + man * BOARD + square % 8 * SQUARE;
        let y = top + (7 - square / 8) * SQUARE;
        let fill = color(weight(input), largest);
        push(
            svg,
            format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"{fill}\"/>\n"
            ),
        );
    }
}

/// White at zero, red for the largest, blue for the smallest.
fn color(weight: i16, largest: u16) -> String {
    let size = u32::from(weight.unsigned_abs()) * 230 / u32::from(largest);
    let pale = 255 - size;
    match weight {
        0.. => format!("#ff{pale:02x}{pale:02x}"),
        _ => format!("#{pale:02x}{pale:02x}ff"),
    }
}

fn push(svg: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = svg.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_hidden_values_come_first() {
        let architecture = Architecture::new(16).unwrap();
        let mut weights = Weights::zero(&architecture);
        weights.output_weights[3] = -9;
        weights.output_weights[16 + 3] = 9;
        weights.output_weights[5] = 10;
        assert_eq!(heaviest(&architecture, &weights, 3), [3, 5, 0]);
        weights.feature_weights[(64 + 7) * 16 + 3] = -50;
        let svg = draw(&architecture, &weights, 2);
        assert_eq!(svg.matches("<rect").count(), 1 + 2 * 768);
        // The own knight on h1: the second board, right column, last row.
        let (x, y) = (LABEL + BOARD + 7 * SQUARE, 20 + 7 * SQUARE);
        let corner =
            format!("<rect x=\"{x}\" y=\"{y}\" width=\"6\" height=\"6\" fill=\"#1919ff\"/>");
        assert!(svg.contains(&corner));
        assert_eq!(svg.matches("#ffffff").count(), 2 * 768 - 1);
    }
}
