//! The way from a line of positions to a score.

use alloc::vec::Vec;

use chess_records::{Color, PieceType, Placement};

use crate::arch::{Advance, Change, Counts, Lanes, Refresh, Score, Table, Update, Value};
use crate::architecture::Perspective;
use crate::network::Network;
use crate::placements::Placements;
use crate::rows::RowList;
use crate::stack::Ply;

/// Hidden values of one network, in integers of one width.
#[derive(Clone, Debug)]
pub(crate) struct Storage<T> {
    /// Ply by ply, White's view before Black's.
    pub(crate) values: Table<T>,
    /// Slot by slot, those of the last refresh: a king that comes back to a bucket finds most of them
    /// right. There is a slot for each view and each of the ways it may number its inputs.
    kept: Table<T>,
    /// Slot by slot, the position that the kept values are of.
    placements: Vec<Option<Placement>>,
}

impl<T: Value> Storage<T> {
    pub(crate) fn new(network: &Network, plies: usize) -> Self {
        let blocks = network.blocks();
        let slots = Color::COUNT * network.architecture().variants();
        let len = plies.saturating_mul(Color::COUNT * blocks);
        Self {
            values: Table::new(alloc::vec![Lanes::ZERO; len], blocks),
            kept: Table::new(alloc::vec![Lanes::ZERO; slots * blocks], blocks),
            placements: alloc::vec![None; slots],
        }
    }

    /// Forgets what was kept, for another network; says whether that one needs as much room.
    pub(crate) fn adopt(&mut self, network: &Network, plies: usize) -> bool {
        self.placements.fill(None);
        let slots = Color::COUNT * network.architecture().variants();
        self.values.rows() == plies * Color::COUNT
            && self.values.row_blocks() == network.blocks()
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
    placements: &'a mut Placements,
    network: &'a Network,
}

impl<'a> Line<'a> {
    pub(crate) const fn new(
        plies: &'a mut [Ply],
        placements: &'a mut Placements,
        network: &'a Network,
    ) -> Self {
        Self {
            plies,
            placements,
            network,
        }
    }

    /// The score of the present position.
    #[inline(never)]
    pub(crate) fn evaluate<T: Value>(mut self, storage: &mut Storage<T>) -> i32 {
        let top = self.plies.len() - 1;
        if self.plies[top].computed != [true; 2] {
            self.bring_up(top, storage);
        }
        score_of_known(&self.plies[top], top, self.network, storage)
    }

    /// Makes both views' values at the top those of the present position.
    fn bring_up<T: Value>(&mut self, top: usize, storage: &mut Storage<T>) {
        for view in Color::ALL {
            match self.nearest_computed(top, view) {
                Some(nearest) => {
                    for ply in nearest + 1..=top {
                        self.advance(ply, view, &mut storage.values);
                    }
                }
                None => self.refresh(view, storage),
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
            let Counts { added, removed } = self.plies[ply].delta.counts();
            rows_left = rows_left.checked_sub(added + removed)?;
        }
        None
    }

    /// Whether the move to this ply changed how the view numbers its inputs.
    fn turns_view(&self, ply: usize, view: Color) -> bool {
        turns_view(self.network, &self.plies[ply - 1], &self.plies[ply], view)
    }

    /// Makes a view's values of the top from those kept of the last position in which the view numbered
    /// its inputs as it does now, or from nothing where that takes fewer rows.
    fn refresh<T: Value>(&mut self, view: Color, storage: &mut Storage<T>) {
        let row = row(self.plies.len() - 1, view);
        let after = self.placements.last(self.plies);
        let perspective = self.network.architecture().perspective(view, after);
        let slot = storage.slot(view, perspective);
        let known = storage.placements[slot].is_some();
        let views = &[perspective];
        let before = storage.placements[slot].replace(*after).unwrap_or(*after);
        let [mut added, mut removed] = [difference(&before, after); 2];
        let changed =
            (after.occupied() & added).count_ones() + (before.occupied() & removed).count_ones();
        let afresh = !known || changed >= after.men();
        if afresh {
            (added, removed) = (u64::MAX, 0);
        }
        let [added] = RowList::of_men(self.network, views, after, added);
        let [removed] = RowList::of_men(self.network, views, &before, removed);
        self.network.backend().run(Refresh {
            bias: self.network.biases(),
            table: self.network.table().as_slice(),
            afresh,
            added: added.as_slice(),
            removed: removed.as_slice(),
            kept: storage.kept.row_mut(slot),
            values: storage.values.row_mut(row),
        });
        let top = self.plies.len() - 1;
        self.plies[top].computed[view.index()] = true;
    }

    /// Makes a view's values of a ply from those of the ply below it.
    fn advance<T: Value>(&mut self, ply: usize, view: Color, values: &mut Table<T>) {
        let [parent, _, child] = values.rows_mut(row(ply - 1, view), self.network.blocks());
        self.network.backend().run(Advance {
            table: self.network.table(),
            counts: self.plies[ply].delta.counts(),
            update: Update {
                parent,
                child,
                change: change(self.network, &self.plies[ply], view),
            },
        });
        self.plies[ply].computed[view.index()] = true;
    }
}

/// The row that holds a view's values of a ply.
#[inline(always)]
pub(crate) const fn row(ply: usize, view: Color) -> usize {
    ply * Color::COUNT + view.index()
}

/// The score of a ply whose values are known.
fn score_of_known<T: Value>(ply: &Ply, top: usize, network: &Network, storage: &Storage<T>) -> i32 {
    let (kernel, bucket) = known(ply, top, network, storage);
    network.score(network.backend().run(kernel), bucket)
}

/// The output sum of a ply whose values are known, and its output bucket.
#[inline(always)]
pub(crate) fn known<'a, T: Value>(
    ply: &Ply,
    top: usize,
    network: &'a Network,
    storage: &'a Storage<T>,
) -> (Score<'a, T>, usize) {
    let bucket = network.architecture().output_bucket_of(ply.men.into());
    let mover = ply.side_to_move;
    let values = |view| storage.values.row(row(top, view));
    let score = Score {
        row: network.output_row(bucket),
        values: [values(mover), values(mover.opponent())],
    };
    (score, bucket)
}

/// Whether the move to a ply turned one of the views.
#[inline(never)]
pub(crate) fn turns_a_view(network: &Network, below: &Ply, ply: &Ply) -> bool {
    let mut views = Color::ALL.into_iter();
    views.any(|view| turns_view(network, below, ply, view))
}

/// Whether the move to a ply brought the view's king to another bucket or side of the mirror, so that
/// all its inputs changed.
#[inline]
fn turns_view(network: &Network, below: &Ply, ply: &Ply, view: Color) -> bool {
    let architecture = network.architecture();
    ply.delta.step().moves_king()
        && !architecture.ignores_kings()
        && architecture.perspective_from(view, below.kings[view.index()])
            != architecture.perspective_from(view, ply.kings[view.index()])
}

/// The rows that the move to a ply adds and removes for a view.
#[inline(always)]
pub(crate) fn change(network: &Network, ply: &Ply, view: Color) -> Change {
    let king = ply.kings[view.index()];
    let perspective = network.architecture().perspective_from(view, king);
    let [first_on, second_on, first_off, second_off] = *ply.delta.step().inputs(view);
    Change {
        bucket: perspective.base(),
        added: [
            perspective.of_plain(first_on),
            perspective.of_plain(second_on),
        ],
        removed: [
            perspective.of_plain(first_off),
            perspective.of_plain(second_off),
        ],
    }
}
