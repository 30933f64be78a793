//! What a set of positions is made of.

use crate::game_order::{Pairs, starts_after};
use crate::view::sealed::GameClue;
use crate::{
    Board, Color, CornerBishops, GameResult, Label, LabelledPosition, PieceType, Placement, Score,
};

/// Counts over positions, one after another; takes a few kilobytes however many there are.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Statistics {
    /// How many positions were counted.
    pub positions: u64,
    /// By result: Black won, draw, White won. Positions without a result are in none.
    pub results: [u64; GameResult::COUNT],
    /// By side to move, White first.
    pub sides: [u64; Color::COUNT],
    /// Scores in centipawns from White's side. Scores in other units are not counted.
    pub scores: Histogram,
    /// By number of men, 0 to 32.
    pub men: [u64; Placement::MAX_MEN as usize + 1],
    /// By [phase](Statistics::phase).
    pub phases: [u64; Statistics::MAX_PHASE as usize + 1],
    /// Positions in which somebody may castle.
    pub castling: u64,
    /// Positions without a move number.
    pub unnumbered: u64,
    /// Games, by the rule of files in game order.
    pub games: GameCounter,
    /// Bishops where castling rooks should be.
    pub corner_bishops: CornerBishops,
}

/// Nothing counted yet.
impl Default for Statistics {
    fn default() -> Self {
        Self {
            positions: 0,
            results: [0; _],
            sides: [0; _],
            scores: Histogram::default(),
            men: [0; _],
            phases: [0; _],
            castling: 0,
            unnumbered: 0,
            games: GameCounter::default(),
            corner_bishops: CornerBishops::new(),
        }
    }
}

impl Statistics {
    /// The phase of a start position.
    pub const MAX_PHASE: u32 = 24;

    /// How far from the endgame a placement is: a knight or bishop counts 1, a rook 2, a queen 4,
    /// in all at most 24; 0 is a pawn endgame.
    #[must_use]
    pub fn phase(placement: &Placement) -> u32 {
        let count = |piece_type| placement.piece_type(piece_type).count_ones();
        let phase = count(PieceType::Knight)
            + count(PieceType::Bishop)
            + 2 * count(PieceType::Rook)
            + 4 * count(PieceType::Queen);
        phase.min(Self::MAX_PHASE)
    }

    /// Counts a position.
    pub fn add(&mut self, labelled: &LabelledPosition) {
        let position = &labelled.position;
        let placement = position.placement();
        self.positions += 1;
        self.sides[position.side_to_move().index()] += 1;
        self.men[placement.men() as usize] += 1;
        self.phases[Self::phase(&placement) as usize] += 1;
        self.castling += u64::from(position.castling().rooks() != 0);
        self.unnumbered += u64::from(position.fullmove_number().is_none());
        self.games.add(labelled);
        self.corner_bishops.add(position);
        self.add_label(&labelled.label);
    }

    fn add_label(&mut self, label: &Label) {
        if let Some(result) = label.result {
            self.results[usize::from(u8::from(result))] += 1;
        }
        if let Some(Score::Centipawns(score_cp)) = label.score {
            self.scores.add(score_cp);
        }
    }
}

/// Scores in bins of a pawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    bins: [u64; Self::BINS],
    count: u64,
    sum: i64,
    extremes: Option<(i16, i16)>,
}

/// Nothing counted yet.
impl Default for Histogram {
    fn default() -> Self {
        Self {
            bins: [0; _],
            count: 0,
            sum: 0,
            extremes: None,
        }
    }
}

impl Histogram {
    /// How many bins there are. The middle one holds scores around 0; the first and the last also
    /// those beyond.
    pub const BINS: usize = 41;
    /// The width of a bin in centipawns.
    pub const BIN_CP: i16 = 100;

    /// Counts a score in centipawns.
    pub fn add(&mut self, score_cp: i16) {
        self.bins[bin(score_cp)] += 1;
        self.count += 1;
        self.sum += i64::from(score_cp);
        let (low, high) = self.extremes.unwrap_or((score_cp, score_cp));
        self.extremes = Some((low.min(score_cp), high.max(score_cp)));
    }

    /// The bins with their middles in centipawns, lowest first.
    pub fn bins(&self) -> impl ExactSizeIterator<Item = (i16, u64)> + DoubleEndedIterator {
        let middle = |index: usize| (index as i16 - Self::BINS as i16 / 2) * Self::BIN_CP;
        self.bins
            .iter()
            .enumerate()
            .map(move |(index, &count)| (middle(index), count))
    }

    /// How many scores were counted.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The mean in centipawns; `None` of nothing.
    #[must_use]
    pub fn mean_cp(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// The lowest and the highest score in centipawns; `None` of nothing.
    #[must_use]
    pub const fn extremes_cp(&self) -> Option<(i16, i16)> {
        self.extremes
    }
}

/// Bins are centred on whole pawns: -50 to 49 centipawns are in that of 0.
fn bin(score_cp: i16) -> usize {
    let width = i32::from(Histogram::BIN_CP);
    let pawns = (i32::from(score_cp) + width / 2).div_euclid(width);
    (pawns + Histogram::BINS as i32 / 2).clamp(0, Histogram::BINS as i32 - 1) as usize
}

/// Counts games in positions that come in game order: a game begins where (move number, side to
/// move) does not grow. It notices, as [`Dataset::game_start`](crate::Dataset::game_start) does but
/// from all positions instead of a sample, when they do not seem to be in game order.
#[derive(Clone, Copy, Debug, Default)]
pub struct GameCounter {
    before: Option<GameClue>,
    games: u64,
    pairs: Pairs,
    positions_here: u64,
    unknown: bool,
}

impl GameCounter {
    /// Counts a position.
    pub fn add(&mut self, labelled: &LabelledPosition) {
        let position = &labelled.position;
        let number = position.fullmove_number().map(|n| u32::from(u16::from(n)));
        let black = position.side_to_move().index() as u32;
        self.add_clue(number.map(|number| GameClue {
            ply: 2 * number + black,
            men: position.placement().men(),
            result: labelled.label.result.map_or(u8::MAX, u8::from),
        }));
    }

    /// Counts a position by its clue. Gives whether a game starts with it, by the rule.
    pub(super) fn add_clue(&mut self, clue: Option<GameClue>) -> bool {
        self.positions_here += 1;
        let starts = match (self.before, clue) {
            (Some(before), Some(here)) => {
                self.pairs.count_pair(before, here);
                starts_after(before, here)
            }
            _ => self.positions_here == 1,
        };
        self.unknown |= clue.is_none();
        self.games += u64::from(starts);
        self.before = clue;
        starts
    }

    /// Notes that the next position comes from another file: a game starts with it.
    pub fn next_file(&mut self) {
        self.unknown = !self.is_known();
        self.before = None;
        self.pairs = Pairs::default();
        self.positions_here = 0;
    }

    /// How many games there are; `None` when a position has no move number or the positions do not
    /// seem to be in game order.
    #[must_use]
    pub fn games(&self) -> Option<u64> {
        self.is_known().then_some(self.games)
    }

    fn is_known(&self) -> bool {
        !self.unknown && (self.positions_here < 2 || self.pairs.in_game_order())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(text: &str) -> LabelledPosition {
        LabelledPosition::from_text(text).unwrap()
    }

    #[test]
    fn everything_is_counted() {
        let mut statistics = Statistics::default();
        for text in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 | 20 | 1.0",
            "rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR b KQkq - 0 1 | -80 | 1.0",
            "4k3/8/8/8/8/8/8/4K2R w - - 0 0 | 600 | 0.5",
        ] {
            statistics.add(&position(text));
        }
        assert_eq!(statistics.positions, 3);
        assert_eq!(statistics.results, [0, 1, 2]);
        assert_eq!(statistics.sides, [2, 1]);
        assert_eq!((statistics.men[32], statistics.men[3]), (2, 1));
        assert_eq!((statistics.phases[24], statistics.phases[2]), (2, 1));
        assert_eq!((statistics.castling, statistics.unnumbered), (2, 1));
        assert_eq!(statistics.games.games(), None);
        assert_eq!(statistics.corner_bishops.early(), 2);
        assert_eq!(statistics.scores.mean_cp(), Some(180.0));
        assert_eq!(statistics.scores.extremes_cp(), Some((-80, 600)));
    }

    #[test]
    fn bins_are_centred_and_open_at_the_ends() {
        let mut histogram = Histogram::default();
        assert_eq!((histogram.mean_cp(), histogram.extremes_cp()), (None, None));
        for (score_cp, middle) in [
            (0, 0),
            (49, 0),
            (50, 100),
            (-50, 0),
            (-51, -100),
            (i16::MAX, 2000),
            (i16::MIN, -2000),
        ] {
            let before = histogram.clone();
            histogram.add(score_cp);
            let mut both = histogram.bins().zip(before.bins());
            let grown = both.find(|(new, old)| new.1 > old.1).unwrap().0;
            assert_eq!(grown.0, middle, "{score_cp}");
        }
        assert_eq!(histogram.count(), 7);
    }

    #[test]
    fn games_are_counted_where_they_can_be() {
        let at = |number: u32, side: char, result: &str| {
            position(&std::format!(
                "4k3/8/8/8/8/8/8/4K3 {side} - - 0 {number} | 0 | {result}"
            ))
        };
        let mut games = GameCounter::default();
        assert_eq!(games.games(), Some(0));
        for (number, side) in [(1, 'w'), (1, 'b'), (2, 'w'), (1, 'w'), (1, 'b')] {
            games.add(&at(number, side, "1.0"));
        }
        assert_eq!(games.games(), Some(2));
        games.next_file();
        games.add(&at(9, 'w', "0.0"));
        assert_eq!(games.games(), Some(3));
        for number in 10..13 {
            games.add(&at(
                number,
                'w',
                if number % 2 == 0 { "1.0" } else { "0.0" },
            ));
        }
        assert_eq!(games.games(), None, "results change within a game");
        games.next_file();
        assert_eq!(games.games(), None, "that is not forgotten");
    }
}
