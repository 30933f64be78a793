//! Records as a dataset, and whole games in it.

use std::boxed::Box;
use std::fmt;
use std::ops::Range;
use std::string::ToString;
use std::sync::Arc;
use std::vec::Vec;

use super::file::ZdatFile;
use super::group::{ZdatGroup, ZdatGroupError};
use super::layout::Layout;
use super::plane::Plane;
use super::record::ZdatRecord;
use super::view::ZdatView;
use crate::game_order::{Pairs, STRETCH, STRETCHES};
use crate::{Dataset, DatasetError, LabelledPosition, PieceType, Score};

/// Records as they stand, unchecked; blocks are groups.
///
/// A gather decompresses each group once, whatever the order of the indices, unless it is still
/// there from the last time: a few groups are kept, see [`ZdatView::set_cache_bytes`]. An order that
/// jumps from group to group costs a group for each record; shuffle blocks instead.
///
/// A game starts where the plies to the end do not fall, and at record 0. Plies that are 255 twice
/// (255 stands for that or more) are taken to be of one game. Where one of two neighbours does not
/// know its plies (0), and everywhere in files that are not in game order,
/// [`Dataset::game_start`] is `None`. Order is judged once, from at most 4096 records: where more
/// than a tenth of the neighbours that the rule puts into one game contradict each other's outcome
/// or gain men, the records are not in game order. A group that cannot be decompressed tells
/// nothing.
impl<D: AsRef<[u8]> + Send + Sync> Dataset for ZdatView<D> {
    type Batch = Vec<ZdatRecord>;

    fn len(&self) -> u64 {
        self.len()
    }

    fn gather(&self, indices: &[u64], batch: &mut Vec<ZdatRecord>) -> Result<(), DatasetError> {
        batch.clear();
        if let Some(&index) = indices.iter().find(|index| **index >= self.len()) {
            let len = self.len();
            return Err(DatasetError::OutOfRange { index, len });
        }
        batch.resize(indices.len(), ZdatRecord::zeroed());
        self.visit(indices, |slot, _, record, _| {
            batch[slot] = *record;
            Ok(())
        })
    }

    fn block_count(&self) -> u64 {
        self.group_count()
    }

    fn block(&self, block: u64) -> Range<u64> {
        self.group_records(block)
    }

    fn game_start(&self, index: u64) -> Option<bool> {
        assert!(index < self.len(), "record {index} of {}", self.len());
        if !*self.in_game_order.get_or_init(|| in_game_order(self)) {
            return None;
        }
        if index == 0 {
            return Some(true);
        }
        let clue = |index| self.with_record(index, Clue::of).ok().flatten();
        Some(starts_after(clue(index - 1)?, clue(index)?))
    }
}

impl<D: AsRef<[u8]>> ZdatView<D> {
    /// Shows every record asked for, group by group: its place in `indices`, its number, and the
    /// group it is in.
    fn visit(
        &self,
        indices: &[u64],
        mut show: impl FnMut(usize, u64, &ZdatRecord, &ZdatGroup) -> Result<(), DatasetError>,
    ) -> Result<(), DatasetError> {
        let batch = u64::from(self.header().batch());
        let mut order: Vec<usize> = (0..indices.len()).collect();
        order.sort_unstable_by_key(|&slot| indices[slot]);
        for of_group in order.chunk_by(|&a, &b| indices[a] / batch == indices[b] / batch) {
            let first = indices[of_group[0]];
            let group = self
                .cached_group(first / batch)
                .map_err(|error| group_error(first, error))?;
            for &slot in of_group {
                let index = indices[slot];
                let record = &group.records()[(index - group.first_record()) as usize];
                show(slot, index, record, &group)?;
            }
        }
        Ok(())
    }

    fn with_record<T>(
        &self,
        index: u64,
        look: impl FnOnce(&ZdatRecord) -> T,
    ) -> Result<T, ZdatGroupError> {
        let group = self.cached_group(index / u64::from(self.header().batch()))?;
        Ok(look(
            &group.records()[(index - group.first_record()) as usize],
        ))
    }
}

fn group_error(index: u64, error: ZdatGroupError) -> DatasetError {
    DatasetError::Record {
        index,
        byte_offset: error.byte_offset,
        source: Box::new(error),
    }
}

fn named(path: &std::path::Path, source: DatasetError) -> DatasetError {
    DatasetError::Source {
        name: path.display().to_string(),
        source: Box::new(source),
    }
}

/// As the [view](ZdatView)'s, with the file's path in errors.
impl Dataset for ZdatFile {
    type Batch = Vec<ZdatRecord>;

    fn len(&self) -> u64 {
        self.len()
    }

    fn gather(&self, indices: &[u64], batch: &mut Vec<ZdatRecord>) -> Result<(), DatasetError> {
        let gathered = self.view().gather(indices, batch);
        gathered.map_err(|source| named(self.path(), source))
    }

    fn block_count(&self) -> u64 {
        self.view().block_count()
    }

    fn block(&self, block: u64) -> Range<u64> {
        self.view().block(block)
    }

    fn game_start(&self, index: u64) -> Option<bool> {
        self.view().game_start(index)
    }
}

/// The records of a view as labelled positions: what a trainer of evaluators needs of them, and
/// what mixes with datasets of other formats.
///
/// Positions are seen from the side to move as White, and what else is lost is told by
/// [`ZdatPosition::to_labelled_lossy`]. As the format gives its score no unit, the caller says what
/// score a record has, if any; it is that of the side to move.
///
/// [`ZdatPosition::to_labelled_lossy`]: super::ZdatPosition::to_labelled_lossy
pub struct ZdatPositions<D, F> {
    view: Arc<ZdatView<D>>,
    layout: Layout,
    score: F,
}

impl<D, F: Fn(&ZdatRecord) -> Option<Score>> ZdatPositions<D, F> {
    /// The records of a view in this layout, with scores by this function.
    pub const fn new(view: Arc<ZdatView<D>>, layout: Layout, score: F) -> Self {
        Self {
            view,
            layout,
            score,
        }
    }
}

impl<D: AsRef<[u8]>, F> fmt::Debug for ZdatPositions<D, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZdatPositions")
            .field("view", &self.view)
            .field("layout", &self.layout)
            .finish_non_exhaustive()
    }
}

/// Records are decoded and checked as they are gathered. Blocks and games are those of the
/// [view](ZdatView).
impl<D, F> Dataset for ZdatPositions<D, F>
where
    D: AsRef<[u8]> + Send + Sync,
    F: Fn(&ZdatRecord) -> Option<Score> + Send + Sync,
{
    type Batch = Vec<LabelledPosition>;

    fn len(&self) -> u64 {
        self.view.len()
    }

    fn gather(
        &self,
        indices: &[u64],
        batch: &mut Vec<LabelledPosition>,
    ) -> Result<(), DatasetError> {
        batch.clear();
        let len = self.view.len();
        if let Some(&index) = indices.iter().find(|index| **index >= len) {
            return Err(DatasetError::OutOfRange { index, len });
        }
        self.view.visit(indices, |slot, index, record, group| {
            let decoded = record
                .decode(self.layout)
                .map_err(|error| DatasetError::Record {
                    index,
                    byte_offset: group.byte_offset(),
                    source: Box::new(error),
                })?;
            let labelled = decoded.to_labelled_lossy((self.score)(record));
            if batch.is_empty() {
                // Any will do: each is replaced by its own.
                batch.resize(indices.len(), labelled);
            }
            batch[slot] = labelled;
            Ok(())
        })
    }

    fn block_count(&self) -> u64 {
        self.view.block_count()
    }

    fn block(&self, block: u64) -> Range<u64> {
        self.view.block(block)
    }

    fn game_start(&self, index: u64) -> Option<bool> {
        self.view.game_start(index)
    }
}

/// What a record that knows its plies to the end tells of its place in a game.
#[derive(Clone, Copy, Debug)]
struct Clue {
    plies_left: u8,
    men: u32,
    outcome: f32,
}

impl Clue {
    fn of(record: &ZdatRecord) -> Option<Self> {
        let men = |plane| u64::from_le_bytes(record.plane_rows(plane)).count_ones();
        let of_type = |t| men(Plane::own(t)) + men(Plane::opponent(t));
        (record.moves_to_go() != 0).then(|| Self {
            plies_left: record.moves_to_go(),
            men: PieceType::ALL.into_iter().map(of_type).sum(),
            outcome: record.outcome(),
        })
    }

    /// Whether a record cannot stand later in the same game than this one.
    fn contradicts(self, later: Self) -> bool {
        let same_outcome = if self.plies_left == u8::MAX {
            // How far apart they are is unknown, and so is whether the same side moves.
            self.outcome.abs() == later.outcome.abs()
        } else if (self.plies_left - later.plies_left).is_multiple_of(2) {
            self.outcome == later.outcome
        } else {
            self.outcome == -later.outcome
        };
        !same_outcome || later.men > self.men
    }
}

const fn starts_after(before: Clue, here: Clue) -> bool {
    here.plies_left >= before.plies_left && before.plies_left != u8::MAX
}

/// Whether the records seem to stand in game order.
fn in_game_order<D: AsRef<[u8]>>(view: &ZdatView<D>) -> bool {
    if view.len() < 2 {
        return true;
    }
    let mut pairs = Pairs::default();
    for stretch in stretches(view) {
        let clue = |index| view.with_record(index, Clue::of).ok().flatten();
        let clues: Vec<_> = stretch.map(clue).collect();
        for pair in clues.windows(2) {
            if let [Some(before), Some(here)] = *pair {
                let same_game = !starts_after(before, here);
                pairs.add(same_game, same_game && before.contradicts(here));
            }
        }
    }
    pairs.in_game_order()
}

/// Stretches of records, each from the beginning of a group; everything, if there are few.
fn stretches<D: AsRef<[u8]>>(view: &ZdatView<D>) -> Vec<Range<u64>> {
    let (stretches, stretch) = (STRETCHES as u64, STRETCH as u64);
    let len = view.len();
    if len <= stretches * stretch {
        return std::iter::once(0..len).collect();
    }
    let batch = u64::from(view.header().batch());
    let room = len - stretch;
    let start = |number| {
        let start = (u128::from(room) * u128::from(number) / u128::from(stretches - 1)) as u64;
        start / batch * batch
    };
    let mut starts: Vec<u64> = (0..stretches).map(start).collect();
    starts.dedup();
    starts
        .into_iter()
        .map(|start| start..start + stretch)
        .collect()
}
