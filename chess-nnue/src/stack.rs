//! Hidden values kept along a line of play.

use alloc::vec::Vec;
use core::marker::PhantomData;

use chess_records::{Board, Color, Piece, PieceType, Placement, Square};

use crate::arch::{Advance, AdvanceAndScore, Change, Counts, Lanes, Refresh, Score, Update, Value};
use crate::arithmetic::Width;
use crate::delta::Delta;
use crate::network::{ActiveRows, Network};

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
/// Pushing past the capacity, popping the root and pushing a [`Delta`] that does not fit the position
/// are mistakes in the caller and panic, in every build.
#[derive(Clone, Debug)]
pub struct AccumulatorStack {
    plies: Vec<Ply>,
    top: usize,
    values: Values,
    blocks: usize,
    network: u64,
}

#[derive(Clone, Copy, Debug)]
struct Ply {
    placement: Placement,
    side_to_move: Color,
    /// What led here from the ply below: nothing for a null move, and for the root.
    delta: Delta,
    /// How many men there are.
    men: u8,
    /// Whose view's values are those of this position.
    computed: [bool; Color::COUNT],
}

/// Hidden values, ply by ply, White's view before Black's.
#[derive(Clone, Debug)]
enum Values {
    Narrow(Vec<Lanes<i16>>),
    Wide(Vec<Lanes<i32>>),
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
        let root = Ply::root(START, Color::White);
        Self {
            plies: alloc::vec![root; plies.saturating_add(1)],
            top: 0,
            values: Values::new(network, plies.saturating_add(1)),
            blocks: network.blocks(),
            network: network.fingerprint(),
        }
    }

    /// Makes a position the root and forgets every other.
    pub fn reset<B: Board + ?Sized>(&mut self, board: &B) {
        self.top = 0;
        self.plies[0] = Ply::root(board.placement(), board.side_to_move());
    }

    /// Makes a move.
    ///
    /// # Panics
    ///
    /// When the stack is full or the delta does not fit the position.
    #[inline]
    pub fn push(&mut self, delta: &Delta) {
        let ply = self.next_ply();
        ply.delta = *delta;
        ply.men = ply.men + delta.put().len() as u8 - delta.lifted().len() as u8;
        if let Err(error) = ply.placement.change(delta.lifted(), delta.put()) {
            misfit(error);
        }
        self.top += 1;
    }

    /// Passes the move to the other side.
    ///
    /// # Panics
    ///
    /// When the stack is full.
    pub fn push_null(&mut self) {
        self.next_ply();
        self.top += 1;
    }

    /// The ply above the top, made the same position with the other side to move.
    #[inline]
    fn next_ply(&mut self) -> &mut Ply {
        let [below, above] = match self.plies.get_mut(self.top..self.top + 2) {
            Some([below, above]) => [below, above],
            _ => panic!("push past the capacity of the accumulator stack"),
        };
        above.placement = below.placement;
        above.side_to_move = below.side_to_move.opponent();
        above.delta = Delta::NONE;
        above.men = below.men;
        above.computed = [false; Color::COUNT];
        above
    }

    /// Takes the last move back.
    ///
    /// # Panics
    ///
    /// At the root.
    pub fn pop(&mut self) {
        assert!(self.top > 0, "pop at the root of the accumulator stack");
        self.top -= 1;
    }

    /// The score of the present position in centipawns for the side to move: what
    /// [`Network::evaluate`] gives for it.
    #[must_use]
    pub fn evaluate(&mut self, network: &Network) -> i32 {
        self.adopt(network);
        let line = Line {
            plies: &mut self.plies[..=self.top],
            network,
        };
        match &mut self.values {
            Values::Narrow(values) => line.evaluate(values),
            Values::Wide(values) => line.evaluate(values),
        }
    }

    /// Forgets values that came from another network.
    fn adopt(&mut self, network: &Network) {
        if self.network == network.fingerprint() {
            return;
        }
        if !self.values.fit(network) || self.blocks != network.blocks() {
            self.values = Values::new(network, self.plies.len());
            self.blocks = network.blocks();
        }
        self.network = network.fingerprint();
        for ply in &mut self.plies {
            ply.computed = [false; Color::COUNT];
        }
    }

    /// The present placement.
    #[must_use]
    pub fn placement(&self) -> &Placement {
        &self.plies[self.top].placement
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
fn misfit(error: chess_records::ChangeError) -> ! {
    panic!("the delta does not fit the position on the accumulator stack: {error}")
}

impl Ply {
    const fn root(placement: Placement, side_to_move: Color) -> Self {
        Self {
            placement,
            side_to_move,
            delta: Delta::NONE,
            men: placement.men() as u8,
            computed: [false; Color::COUNT],
        }
    }

    #[inline]
    fn counts(&self) -> Counts {
        Counts {
            added: self.delta.put().len(),
            removed: self.delta.lifted().len(),
        }
    }
}

impl Values {
    fn new(network: &Network, plies: usize) -> Self {
        let len = plies * Color::COUNT * network.blocks();
        match network.arithmetic().accumulators {
            Width::Narrow => Self::Narrow(alloc::vec![Lanes::ZERO; len]),
            Width::Wide => Self::Wide(alloc::vec![Lanes::ZERO; len]),
        }
    }

    fn fit(&self, network: &Network) -> bool {
        matches!(
            (self, network.arithmetic().accumulators),
            (Self::Narrow(_), Width::Narrow) | (Self::Wide(_), Width::Wide)
        )
    }
}

/// The plies from the root to the present one, and the network that they are evaluated with.
struct Line<'a> {
    plies: &'a mut [Ply],
    network: &'a Network,
}

impl Line<'_> {
    #[inline]
    fn evaluate<T: Value>(mut self, values: &mut [Lanes<T>]) -> i32 {
        let top = self.plies.len() - 1;
        if self.is_one_step_away(top) {
            return self.advance_and_score(top, values);
        }
        for view in Color::ALL {
            if !self.plies[top].computed[view.index()] {
                self.bring_up(top, view, values);
            }
        }
        self.score(top, values)
    }

    /// Whether both views' values follow from those of the ply below by one move: the usual case in a
    /// search.
    #[inline]
    fn is_one_step_away(&self, top: usize) -> bool {
        let [.., below, ply] = &*self.plies else {
            return false;
        };
        below.computed == [true; 2]
            && ply.computed == [false; 2]
            && !Color::ALL
                .into_iter()
                .any(|view| self.turns_view(top, view))
    }

    /// Both views' values of the top from those of the ply below, and the score from them.
    #[inline]
    fn advance_and_score<T: Value>(&mut self, top: usize, values: &mut [Lanes<T>]) -> i32 {
        self.plies[top].computed = [true; Color::COUNT];
        let ply = &self.plies[top];
        let line = &mut values[self.start(top - 1)..self.start(top + 1)];
        let (parents, children) = line.split_at_mut(self.start(1));
        let bucket = self.network.architecture().output_bucket_of(ply.men.into());
        let sum = self.network.backend().run(AdvanceAndScore {
            row: self.network.output_row(bucket),
            parents,
            children,
            table: self.network.table(),
            counts: ply.counts(),
            changes: Color::ALL.map(|view| self.change(top, view)),
            mover: ply.side_to_move.index(),
        });
        self.network.score(sum, bucket)
    }

    /// The score of the top, whose values are computed.
    #[inline]
    fn score<T: Value>(&self, top: usize, values: &[Lanes<T>]) -> i32 {
        let ply = &self.plies[top];
        let bucket = self.network.architecture().output_bucket_of(ply.men.into());
        let of = |view: Color| &values[self.range(top, view)];
        let sum = self.network.backend().run(Score {
            row: self.network.output_row(bucket),
            values: [of(ply.side_to_move), of(ply.side_to_move.opponent())],
            width: PhantomData,
        });
        self.network.score(sum, bucket)
    }

    /// Makes a view's values at the top those of the present position.
    fn bring_up<T: Value>(&mut self, top: usize, view: Color, values: &mut [Lanes<T>]) {
        match self.nearest_computed(top, view) {
            Some(nearest) => {
                for ply in nearest + 1..=top {
                    self.advance(ply, view, values);
                }
            }
            None => self.refresh(top, view, values),
        }
    }

    /// The nearest ply below whose values lead to the present ones by no more rows than a refresh
    /// takes.
    fn nearest_computed(&self, top: usize, view: Color) -> Option<usize> {
        let mut rows_left = usize::from(self.plies[top].men);
        for ply in (1..=top).rev() {
            if self.turns_view(ply, view) {
                return None;
            }
            let Counts { added, removed } = self.plies[ply].counts();
            rows_left = rows_left.checked_sub(added + removed)?;
            if self.plies[ply - 1].computed[view.index()] {
                return Some(ply - 1);
            }
        }
        None
    }

    /// Whether the move to this ply brought the view's king to another bucket or side of the mirror,
    /// so that all its inputs changed.
    #[inline]
    fn turns_view(&self, ply: usize, view: Color) -> bool {
        let architecture = self.network.architecture();
        let perspective = |ply: usize| architecture.perspective(view, &self.plies[ply].placement);
        !architecture.ignores_kings() && perspective(ply) != perspective(ply - 1)
    }

    fn refresh<T: Value>(&mut self, ply: usize, view: Color, values: &mut [Lanes<T>]) {
        let mut rows = ActiveRows::NONE;
        rows.fill(self.network, view, &self.plies[ply].placement);
        self.network.backend().run(Refresh {
            sum: rows.sum(self.network),
            values: &mut values[self.range(ply, view)],
        });
        self.plies[ply].computed[view.index()] = true;
    }

    /// Makes a view's values of a ply from those of the ply below it.
    fn advance<T: Value>(&mut self, ply: usize, view: Color, values: &mut [Lanes<T>]) {
        let (below, above) = values.split_at_mut(self.start(ply));
        let parent = &below[self.range(ply - 1, view)];
        let child = &mut above[self.range(0, view)];
        self.network.backend().run(Advance {
            counts: self.plies[ply].counts(),
            update: Update {
                parent,
                child,
                table: self.network.table(),
                change: self.change(ply, view),
            },
        });
        self.plies[ply].computed[view.index()] = true;
    }

    /// The rows that the move to a ply adds and removes for a view.
    #[inline]
    fn change(&self, ply: usize, view: Color) -> Change {
        let Ply {
            placement, delta, ..
        } = &self.plies[ply];
        let perspective = self.network.architecture().perspective(view, placement);
        let row = |&(piece, square): &(Piece, Square)| {
            self.network.first_block(perspective.input(piece, square))
        };
        let mut change = Change::default();
        for (added, piece) in change.added.iter_mut().zip(delta.put()) {
            *added = row(piece);
        }
        for (removed, piece) in change.removed.iter_mut().zip(delta.lifted()) {
            *removed = row(piece);
        }
        change
    }

    #[inline]
    fn blocks(&self) -> usize {
        self.network.blocks()
    }

    /// Where a ply's values begin.
    #[inline]
    fn start(&self, ply: usize) -> usize {
        ply * Color::COUNT * self.blocks()
    }

    /// Where a view's values of a ply are kept.
    #[inline]
    fn range(&self, ply: usize, view: Color) -> core::ops::Range<usize> {
        let start = self.start(ply) + view.index() * self.blocks();
        start..start + self.blocks()
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
        stack.push(&e4());
    }
}
