//! The way from a line of positions to a score.

use alloc::vec::Vec;

use chess_records::{Color, Piece, PieceType, Placement, Square};

use crate::arch::{
    Advance, AdvanceAndScore, Change, Counts, Instructions, Kernel, Lanes, Refresh, Score, Update,
    Value,
};
use crate::architecture::Perspective;
use crate::network::Network;
use crate::rows::RowList;
use crate::stack::Ply;

/// Hidden values of one network, in integers of one width.
#[derive(Clone, Debug)]
pub(crate) struct Storage<T> {
    /// Ply by ply, White's view before Black's.
    values: Vec<Lanes<T>>,
    /// Slot by slot, those of the last refresh: a king that comes back to a bucket finds most of them
    /// right. There is a slot for each view and each of the ways it may number its inputs.
    kept: Vec<Lanes<T>>,
    /// Slot by slot, the position that the kept values are of.
    placements: Vec<Option<Placement>>,
}

impl<T: Value> Storage<T> {
    pub(crate) fn new(network: &Network, plies: usize) -> Self {
        let blocks = network.blocks();
        let slots = Color::COUNT * network.architecture().variants();
        let len = plies.saturating_mul(Color::COUNT * blocks);
        Self {
            values: alloc::vec![Lanes::ZERO; len],
            kept: alloc::vec![Lanes::ZERO; slots * blocks],
            placements: alloc::vec![None; slots],
        }
    }

    /// Forgets what was kept, for another network; says whether that one needs as much room.
    pub(crate) fn adopt(&mut self, network: &Network, plies: usize) -> bool {
        self.placements.fill(None);
        let slots = Color::COUNT * network.architecture().variants();
        self.values.len() == plies * Color::COUNT * network.blocks()
            && self.placements.len() == slots
    }

    fn slot(&self, view: Color, perspective: Perspective) -> usize {
        view.index() * self.placements.len() / Color::COUNT + perspective.variant()
    }
}

/// The squares whose men differ.
fn difference(one: &Placement, other: &Placement) -> u64 {
    let of_colors = Color::ALL.map(|color| one.color(color) ^ other.color(color));
    let of_types = PieceType::ALL.map(|kind| one.piece_type(kind) ^ other.piece_type(kind));
    let masks = of_colors.iter().chain(&of_types);
    masks.fold(0, |squares, mask| squares | mask)
}

/// The plies from the root to the present one, and the network that they are evaluated with.
pub(crate) struct Line<'a> {
    plies: &'a mut [Ply],
    network: &'a Network,
}

impl<'a> Line<'a> {
    pub(crate) const fn new(plies: &'a mut [Ply], network: &'a Network) -> Self {
        Self { plies, network }
    }

    /// The score of the present position.
    #[inline]
    pub(crate) fn evaluate<T: Value>(mut self, storage: &mut Storage<T>) -> i32 {
        let top = self.plies.len() - 1;
        if self.is_one_step_away(top) {
            return self.advance_and_score(top, &mut storage.values);
        }
        if self.plies[top].computed != [true; 2] {
            self.bring_up(top, storage);
        }
        self.score(top, &storage.values)
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
            && (self.network.architecture().ignores_kings()
                || !(self.turns_view(top, Color::White) || self.turns_view(top, Color::Black)))
    }

    /// Both views' values of the top from those of the ply below, and the score from them.
    #[inline]
    fn advance_and_score<T: Value>(&mut self, top: usize, values: &mut [Lanes<T>]) -> i32 {
        self.plies[top].computed = [true; Color::COUNT];
        self.network.backend().run(OneStep {
            network: self.network,
            ply: &self.plies[top],
            values: &mut values[self.start(top - 1)..self.start(top + 1)],
        })
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
        });
        self.network.score(sum, bucket)
    }

    /// Makes both views' values at the top those of the present position.
    #[inline(never)]
    fn bring_up<T: Value>(&mut self, top: usize, storage: &mut Storage<T>) {
        for view in Color::ALL {
            match self.nearest_computed(top, view) {
                Some(nearest) => {
                    for ply in nearest + 1..=top {
                        self.advance(ply, view, &mut storage.values);
                    }
                }
                None => self.refresh(top, view, storage),
            }
        }
    }

    /// The nearest ply, the top among them, whose values lead to the present ones by no more rows than
    /// a refresh takes.
    fn nearest_computed(&self, top: usize, view: Color) -> Option<usize> {
        let mut rows_left = usize::from(self.plies[top].men);
        for ply in (0..=top).rev() {
            if self.plies[ply].computed[view.index()] {
                return Some(ply);
            }
            if ply == 0 || self.turns_view(ply, view) {
                return None;
            }
            let Counts { added, removed } = self.plies[ply].counts();
            rows_left = rows_left.checked_sub(added + removed)?;
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

    /// Makes a view's values of a ply from those kept of the last position in which the view numbered
    /// its inputs as it does now, or from nothing where that takes fewer rows.
    fn refresh<T: Value>(&mut self, ply: usize, view: Color, storage: &mut Storage<T>) {
        let range = self.range(ply, view);
        let ply = &mut self.plies[ply];
        let perspective = self
            .network
            .architecture()
            .perspective(view, &ply.placement);
        let slot = storage.slot(view, perspective);
        let known = storage.placements[slot].is_some();
        let (after, views) = (&ply.placement, &[perspective]);
        let before = storage.placements[slot].replace(*after).unwrap_or(*after);
        let [mut added, mut removed] = [difference(&before, after); 2];
        let changed =
            (after.occupied() & added).count_ones() + (before.occupied() & removed).count_ones();
        let afresh = !known || changed >= ply.men.into();
        if afresh {
            (added, removed) = (u64::MAX, 0);
        }
        let [added] = RowList::of_men(self.network, views, after, added);
        let [removed] = RowList::of_men(self.network, views, &before, removed);
        let blocks = self.network.blocks();
        self.network.backend().run(Refresh {
            bias: self.network.biases(),
            table: self.network.table(),
            afresh,
            added: added.as_slice(),
            removed: removed.as_slice(),
            kept: &mut storage.kept[slot * blocks..][..blocks],
            values: &mut storage.values[range],
        });
        ply.computed[view.index()] = true;
    }

    /// Makes a view's values of a ply from those of the ply below it.
    fn advance<T: Value>(&mut self, ply: usize, view: Color, values: &mut [Lanes<T>]) {
        let (below, above) = values.split_at_mut(self.start(ply));
        let parent = &below[self.range(ply - 1, view)];
        let child = &mut above[self.range(0, view)];
        self.network.backend().run(Advance {
            table: self.network.table(),
            counts: self.plies[ply].counts(),
            update: Update {
                parent,
                child,
                change: change(self.network, &self.plies[ply], view),
            },
        });
        self.plies[ply].computed[view.index()] = true;
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

/// The rows that the move to a ply adds and removes for a view.
#[inline(always)]
fn change(network: &Network, ply: &Ply, view: Color) -> Change {
    let perspective = network.architecture().perspective(view, &ply.placement);
    let row =
        |&(piece, square): &(Piece, Square)| network.first_block(perspective.input(piece, square));
    let [put, lifted] = ply.delta.places();
    Change {
        added: [row(&put[0]), row(&put[1])],
        removed: [row(&lifted[0]), row(&lifted[1])],
    }
}

/// The usual case of a search, as one kernel: there is more to hand over than to do.
struct OneStep<'a, T> {
    network: &'a Network,
    ply: &'a Ply,
    /// The values of the ply below, then those of the ply.
    values: &'a mut [Lanes<T>],
}

impl<T: Value> Kernel for OneStep<'_, T> {
    /// The score.
    type Output = i32;

    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) -> i32 {
        let Self {
            network,
            ply,
            values,
        } = self;
        let blocks = network.blocks();
        let (parents, children) = values.split_at_mut(2 * blocks);
        let mut parents = parents.split_at(blocks);
        let mut children = children.split_at_mut(blocks);
        if ply.side_to_move == Color::Black {
            parents = (parents.1, parents.0);
            children = (children.1, children.0);
        }
        let mover = Update {
            parent: parents.0,
            child: children.0,
            change: change(network, ply, ply.side_to_move),
        };
        let other = Update {
            parent: parents.1,
            child: children.1,
            change: change(network, ply, ply.side_to_move.opponent()),
        };
        let bucket = network.architecture().output_bucket_of(ply.men.into());
        let kernel = AdvanceAndScore {
            row: network.output_row(bucket),
            table: network.table(),
            counts: ply.counts(),
            updates: [mover, other],
        };
        network.score(kernel.run(instructions), bucket)
    }
}
