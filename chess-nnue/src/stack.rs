//! Hidden values kept along a line of play.

use alloc::vec::Vec;

use chess_records::{Board, Color, PieceType, Placement, Position, Square};

use crate::arch::Counts;
use crate::arithmetic::Width;
use crate::delta::Delta;
use crate::line::{Line, Storage};
use crate::network::Network;
use crate::placements::Placements;
use crate::quick::quick_score;

/// The positions of a line of play with their hidden values, for one search thread.
///
/// A search calls [`reset`](Self::reset) at the root, [`push`](Self::push) or
/// [`push_null`](Self::push_null) where it makes a move, [`pop`](Self::pop) where it takes one back,
/// and [`evaluate`](Self::evaluate) where it wants a score. Values are brought up to date only when a
/// score is asked for, so moves that are made and taken back unevaluated cost next to nothing.
///
/// The stack owns no network; it remembers which one its values came from and starts afresh when it is
/// given another. It allocates when it is made, and again only when it meets a network of another
/// size or [width](crate::Arithmetic) than the one it was made for.
///
/// # Panics
///
/// Pushing past the capacity, popping the root, pushing a [`Delta`] out of turn and pushing one that does
/// not fit the position are mistakes in the caller. The first three panic in every build. The fourth
/// panics at once in debug builds, where every score is also compared with one from nothing; a release
/// build, to which the check would cost a sixth of the time of a move, panics when it next needs the
/// placement, that is in [`placement`](Self::placement) or when it makes values from nothing. Until then
/// scores are those of the sums that the deltas ask for.
///
/// What moves and scores read comes in the first two cache lines.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct AccumulatorStack {
    placements: Placements,
    pub(crate) plies: Vec<Ply>,
    pub(crate) top: usize,
    network: u64,
    pub(crate) values: Values,
}

/// A position of a line, as far as hidden values need it, in a cache line of its own.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Ply {
    /// What led here from the ply below: nothing for a null move, and for the root.
    pub(crate) delta: Delta,
    pub(crate) side_to_move: Color,
    /// Where the kings stand.
    pub(crate) kings: [Square; Color::COUNT],
    /// How many men there are.
    pub(crate) men: u8,
    /// Whose view's values are those of this position.
    pub(crate) computed: [bool; Color::COUNT],
}

/// Hidden values of the width that a network needs.
#[derive(Clone, Debug)]
pub(crate) enum Values {
    Narrow(Storage<i16>),
    Wide(Storage<i32>),
}

impl AccumulatorStack {
    /// The plies above the root that [`AccumulatorStack::new`] makes room for.
    pub const DEFAULT_CAPACITY: usize = 255;

    /// A stack for `network` at the usual starting position, with room for
    /// [`DEFAULT_CAPACITY`](Self::DEFAULT_CAPACITY) plies above the root.
    #[must_use]
    pub fn new(network: &Network) -> Self {
        Self::with_capacity(network, Self::DEFAULT_CAPACITY)
    }

    /// A stack for `network` at the usual starting position, with room for `plies` plies above the
    /// root.
    #[must_use]
    pub fn with_capacity(network: &Network, plies: usize) -> Self {
        let root = Ply::root(&START, Color::White);
        Self {
            plies: alloc::vec![root; plies.saturating_add(1)],
            placements: Placements::new(START, plies.saturating_add(1)),
            top: 0,
            values: Values::new(network, plies.saturating_add(1)),
            network: network.fingerprint(),
        }
    }

    /// Makes a position the root and forgets every other.
    pub fn reset<B: Board + ?Sized>(&mut self, board: &B) {
        let placement = board.placement();
        self.top = 0;
        self.plies[0] = Ply::root(&placement, board.side_to_move());
        self.placements.reset(placement);
    }

    /// Makes a move.
    ///
    /// # Panics
    ///
    /// When the stack is full or it is the other side's turn, and in debug builds when the delta does not
    /// fit the position; see [`AccumulatorStack`].
    #[inline]
    pub fn push(&mut self, delta: &Delta) {
        let Some([below, above, ..]) = self.plies.get_mut(self.top..) else {
            full();
        };
        let mover = below.side_to_move;
        if !delta.is_move_of(mover) {
            out_of_turn(mover);
        }
        above.follow(below, delta);
        self.placements.forget_above(self.top);
        self.top += 1;
        if cfg!(debug_assertions) {
            let _ = self.placement();
        }
    }

    /// Passes the move to the other side.
    ///
    /// # Panics
    ///
    /// When the stack is full.
    #[inline]
    pub fn push_null(&mut self) {
        let Some([below, above, ..]) = self.plies.get_mut(self.top..) else {
            full();
        };
        above.follow(below, &Delta::NONE);
        self.placements.forget_above(self.top);
        self.top += 1;
    }

    /// Takes the last move back.
    ///
    /// # Panics
    ///
    /// At the root.
    #[inline]
    pub fn pop(&mut self) {
        match self.top.checked_sub(1) {
            Some(top) => self.top = top,
            None => empty(),
        }
    }

    /// The score of the present position in centipawns for the side to move: what
    /// [`Network::evaluate`] gives for it.
    #[must_use]
    pub fn evaluate(&mut self, network: &Network) -> i32 {
        if self.network != network.fingerprint() {
            self.adopt(network);
        }
        let score = match self.values {
            Values::Narrow(_) => quick_score::<i16>(self, network),
            Values::Wide(_) => self.wide_score(network),
        };
        debug_assert_eq!(
            score,
            network.evaluate(&self.position()),
            "the score kept up to date is not the one from nothing"
        );
        score
    }

    #[inline(never)]
    fn wide_score(&mut self, network: &Network) -> i32 {
        quick_score::<i32>(self, network)
    }

    /// The score of the present position, by whatever it takes.
    #[cold]
    #[inline(never)]
    pub(crate) fn bring_up(&mut self, network: &Network) -> i32 {
        let plies = &mut self.plies[..=self.top];
        let line = Line::new(plies, &mut self.placements, network);
        match &mut self.values {
            Values::Narrow(values) => line.evaluate(values),
            Values::Wide(values) => line.evaluate(values),
        }
    }

    /// Forgets values that came from another network.
    #[cold]
    fn adopt(&mut self, network: &Network) {
        self.values.adopt(network, self.plies.len());
        self.network = network.fingerprint();
        for ply in &mut self.plies {
            ply.computed = [false; Color::COUNT];
        }
    }

    /// The present placement.
    ///
    /// # Panics
    ///
    /// When a [`Delta`] did not fit the position it was pushed in.
    #[must_use]
    pub fn placement(&mut self) -> &Placement {
        self.placements.last(&self.plies[..=self.top])
    }

    fn position(&mut self) -> Position {
        Position::new(*self.placement(), self.side_to_move())
    }

    /// Whose move it is.
    #[must_use]
    pub fn side_to_move(&self) -> Color {
        self.plies[self.top].side_to_move
    }

    /// How many moves have been made since the root.
    #[must_use]
    pub const fn ply(&self) -> usize {
        self.top
    }

    /// How many moves can be made from the root.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.plies.len() - 1
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn full() -> ! {
    panic!("push past the capacity of the accumulator stack")
}

#[cold]
#[inline(never)]
#[track_caller]
fn empty() -> ! {
    panic!("pop at the root of the accumulator stack")
}

#[cold]
#[inline(never)]
#[track_caller]
fn out_of_turn(mover: Color) -> ! {
    panic!("the delta is not a move of {mover}, whose turn it is on the accumulator stack")
}

impl Ply {
    const fn root(placement: &Placement, side_to_move: Color) -> Self {
        Self {
            delta: Delta::NONE,
            side_to_move,
            kings: [placement.king(Color::White), placement.king(Color::Black)],
            men: placement.men() as u8,
            computed: [false; Color::COUNT],
        }
    }

    /// Makes this the position that a move leads to.
    #[inline(always)]
    fn follow(&mut self, below: &Self, delta: &Delta) {
        let Counts { added, removed } = delta.counts();
        self.delta = *delta;
        self.side_to_move = below.side_to_move.opponent();
        self.kings = below.kings;
        if delta.step().moves_king() {
            self.follow_kings();
        }
        self.men = below
            .men
            .wrapping_add(added as u8)
            .wrapping_sub(removed as u8);
        self.computed = [false; Color::COUNT];
    }

    fn follow_kings(&mut self) {
        for (piece, square) in self.delta.put() {
            if piece.piece_type == PieceType::King {
                self.kings[piece.color.index()] = *square;
            }
        }
    }
}

impl Values {
    fn new(network: &Network, plies: usize) -> Self {
        match network.arithmetic().accumulators {
            Width::Narrow => Self::Narrow(Storage::new(network, plies)),
            Width::Wide => Self::Wide(Storage::new(network, plies)),
        }
    }

    /// Makes room for another network's values, if there is none, and forgets those kept.
    fn adopt(&mut self, network: &Network, plies: usize) {
        let has_room = match (&mut *self, network.arithmetic().accumulators) {
            (Self::Narrow(values), Width::Narrow) => values.adopt(network, plies),
            (Self::Wide(values), Width::Wide) => values.adopt(network, plies),
            _ => false,
        };
        if !has_room {
            *self = Self::new(network, plies);
        }
    }
}

/// The usual starting position.
const START: Placement = {
    use PieceType::{Bishop, King, Knight, Pawn, Queen, Rook};
    let mut pieces = [0; PieceType::COUNT];
    pieces[Pawn.index()] = 0x00ff_0000_0000_ff00;
    pieces[Knight.index()] = 0x4200_0000_0000_0042;
    pieces[Bishop.index()] = 0x2400_0000_0000_0024;
    pieces[Rook.index()] = 0x8100_0000_0000_0081;
    pieces[Queen.index()] = 0x0800_0000_0000_0008;
    pieces[King.index()] = 0x1000_0000_0000_0010;
    match Placement::new([0xffff, 0xffff << 48], pieces) {
        Ok(placement) => placement,
        Err(_) => panic!("the starting position is a placement"),
    }
};

#[cfg(test)]
mod tests {
    use super::*;
    use chess_records::{Piece, Square};

    use crate::architecture::Architecture;
    use crate::network::Weights;

    fn network(hidden: usize, feature_weight: i16) -> Network {
        let architecture = Architecture::new(hidden).unwrap();
        let mut weights = Weights::zero(&architecture);
        for (index, weight) in weights.feature_weights.iter_mut().enumerate() {
            *weight = feature_weight + (index % 17) as i16;
        }
        for (index, weight) in weights.output_weights.iter_mut().enumerate() {
            *weight = (index % 23) as i16 - 9;
        }
        Network::new(architecture, &weights).unwrap()
    }

    fn e4() -> Delta {
        let pawn = Piece::new(Color::White, PieceType::Pawn);
        Delta::quiet(pawn, Square::E2, Square::E4)
    }

    #[test]
    fn networks_of_any_size_and_width_take_turns() {
        let networks = [
            network(16, 1),
            network(64, 1),
            network(64, 3000),
            network(64, 2),
        ];
        let mut stack = AccumulatorStack::new(&networks[0]);
        stack.push(&e4());
        for network in networks.iter().chain(networks.iter().rev()) {
            let top = (*stack.placement(), stack.side_to_move());
            let fresh = network.evaluate(&chess_records::Position::new(top.0, top.1));
            assert_eq!(stack.evaluate(network), fresh);
        }
    }

    #[test]
    fn a_reset_forgets_the_line() {
        let network = network(16, 1);
        let mut stack = AccumulatorStack::with_capacity(&network, 1);
        let start = stack.evaluate(&network);
        stack.push(&e4());
        assert_ne!(stack.evaluate(&network), start);
        let position = chess_records::Position::new(START, Color::White);
        stack.reset(&position);
        assert_eq!((stack.ply(), stack.capacity()), (0, 1));
        assert_eq!(stack.evaluate(&network), start);
    }

    #[test]
    #[should_panic(expected = "push past the capacity of the accumulator stack")]
    fn pushing_past_the_capacity() {
        let mut stack = AccumulatorStack::with_capacity(&network(16, 1), 1);
        stack.push(&e4());
        stack.push_null();
    }

    #[test]
    #[should_panic(expected = "pop at the root of the accumulator stack")]
    fn popping_the_root() {
        AccumulatorStack::new(&network(16, 1)).pop();
    }

    #[test]
    #[should_panic(expected = "does not fit the position on the accumulator stack: no White pawn")]
    fn pushing_a_move_of_another_position() {
        let mut stack = AccumulatorStack::new(&network(16, 1));
        stack.push(&e4());
        stack.push_null();
        stack.push(&e4());
        // A debug build has panicked by now.
        let _ = stack.placement();
    }

    #[test]
    #[should_panic(expected = "does not fit the position on the accumulator stack: no White pawn")]
    fn a_move_of_another_position_is_found_by_a_refresh() {
        let network = network(16, 1);
        let mut stack = AccumulatorStack::new(&network);
        stack.push(&e4());
        stack.push_null();
        stack.push(&e4());
        let _ = stack.evaluate(&network);
    }

    #[test]
    #[should_panic(expected = "not a move of Black, whose turn it is")]
    fn pushing_a_move_of_the_other_side() {
        let mut stack = AccumulatorStack::new(&network(16, 1));
        stack.push(&e4());
        stack.push(&e4());
    }
}
