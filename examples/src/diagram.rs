//! Boards drawn small.

use chess_records::{Placement, Square};

/// A board with a line above and lines below it.
pub struct Diagram {
    lines: Vec<String>,
}

impl Diagram {
    /// How many characters wide a diagram is.
    const WIDTH: usize = 24;

    /// A board under a title and over some notes; each is cut to the diagram's width.
    #[must_use]
    pub fn new(title: &str, placement: &Placement, notes: &[String]) -> Self {
        let ranks = (0..8).rev().map(|rank| {
            let squares = (0..8).filter_map(|file| Square::at(file, rank));
            let letters = squares.map(|square| {
                let piece = placement.piece_at(square);
                piece.map_or('.', |piece| piece.fen_letter())
            });
            letters.flat_map(|letter| [letter, ' ']).collect()
        });
        let notes = notes.iter().cloned();
        let lines = core::iter::once(title.to_owned()).chain(ranks).chain(notes);
        let cut = |line: String| line.chars().take(Self::WIDTH).collect();
        Self {
            lines: lines.map(cut).collect(),
        }
    }
}

/// Diagrams in rows of `across`.
#[must_use]
pub fn side_by_side(diagrams: &[Diagram], across: usize) -> String {
    let mut text = String::new();
    for row in diagrams.chunks(across) {
        let height = row.iter().map(|diagram| diagram.lines.len()).max();
        for line in 0..height.unwrap_or(0) {
            let cells = row.iter().map(|diagram| {
                let cell = diagram.lines.get(line).map_or("", String::as_str);
                format!("{cell:<width$}", width = Diagram::WIDTH)
            });
            let joined: Vec<_> = cells.collect();
            text.push_str(joined.join("  ").trim_end());
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_records::{Board, Position};

    #[test]
    fn boards_stand_beside_each_other() {
        let position: Position = "4k3/8/8/8/8/8/8/4K2R w - - 0 1".parse().unwrap();
        let notes = ["White +5.00".to_owned()];
        let diagram = || Diagram::new("a title", &position.placement(), &notes);
        let text = side_by_side(&[diagram(), diagram(), diagram()], 2);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 2 * 11);
        assert_eq!(lines[0], "a title                   a title");
        assert_eq!(lines[8], ". . . . K . . R           . . . . K . . R");
        assert_eq!(lines[9], "White +5.00               White +5.00");
        assert_eq!(lines[11], "a title");
    }
}
