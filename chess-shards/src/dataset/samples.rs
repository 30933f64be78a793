//! What samplers and loaders ask of the rows.

use std::ops::Range;

use chess_records::{Dataset, DatasetError, LabelledPosition};

use super::FlatDataset;
use crate::{FlatColumns, FlatRecord};

/// Records as they stand, unchecked. A block is up to [`FlatDataset::ROWS_PER_BLOCK`] rows of one
/// shard.
///
/// A game starts with each shard. Where others start the rows do not tell: [`Dataset::game_start`] is
/// `None` there, and what is to be held out is for the splits of the set.
impl Dataset for FlatDataset {
    type Batch = Vec<FlatRecord>;

    fn len(&self) -> u64 {
        self.len()
    }

    fn gather(&self, indices: &[u64], batch: &mut Vec<FlatRecord>) -> Result<(), DatasetError> {
        batch.resize(indices.len(), FlatRecord::zeroed());
        self.gather_records(indices, batch)
    }

    fn block_count(&self) -> u64 {
        self.blocks.last().copied().unwrap_or_default()
    }

    fn block(&self, block: u64) -> Range<u64> {
        let count = self.block_count();
        assert!(block < count, "block {block} of {count}");
        let file = self.blocks.partition_point(|&before| before <= block) - 1;
        let (first, end) = (self.starts.start(file), self.starts.start(file + 1));
        let start = first + (block - self.blocks[file]) * Self::ROWS_PER_BLOCK;
        start..end.min(start + Self::ROWS_PER_BLOCK)
    }

    fn game_start(&self, index: u64) -> Option<bool> {
        let found = self.starts.find(index);
        let Some((_, row)) = found else {
            panic!("row {index} of {}", self.len());
        };
        (row == 0).then_some(true)
    }
}

macro_rules! same_rows {
    ($adapter:ident) => {
        impl<D: AsRef<FlatDataset>> $adapter<D> {
            /// The rows of this dataset, which may be an `Arc` that others use as well.
            pub const fn new(rows: D) -> Self {
                Self(rows)
            }

            fn rows(&self) -> &FlatDataset {
                self.0.as_ref()
            }
        }
    };
}

macro_rules! numbered_alike {
    () => {
        fn len(&self) -> u64 {
            self.rows().len()
        }

        fn block_count(&self) -> u64 {
            self.rows().block_count()
        }

        fn block(&self, block: u64) -> Range<u64> {
            self.rows().block(block)
        }

        fn game_start(&self, index: u64) -> Option<bool> {
            self.rows().game_start(index)
        }
    };
}

impl AsRef<Self> for FlatDataset {
    fn as_ref(&self) -> &Self {
        self
    }
}

/// The rows of a [`FlatDataset`], gathered field by field, unchecked.
#[derive(Clone, Debug)]
pub struct FlatColumnsDataset<D = FlatDataset>(D);

same_rows!(FlatColumnsDataset);

impl<D: AsRef<FlatDataset> + Send + Sync> Dataset for FlatColumnsDataset<D> {
    type Batch = FlatColumns;

    fn gather(&self, indices: &[u64], batch: &mut FlatColumns) -> Result<(), DatasetError> {
        self.rows().gather_columns(indices, batch)
    }

    numbered_alike!();
}

/// The rows of a [`FlatDataset`] as positions, checked by [`FlatRecord::decode`] as they are
/// gathered: what mixes with datasets of other formats. They have a result and no score.
#[derive(Clone, Debug)]
pub struct FlatPositions<D = FlatDataset>(D);

same_rows!(FlatPositions);

impl<D: AsRef<FlatDataset> + Send + Sync> Dataset for FlatPositions<D> {
    type Batch = Vec<LabelledPosition>;

    fn gather(
        &self,
        indices: &[u64],
        batch: &mut Vec<LabelledPosition>,
    ) -> Result<(), DatasetError> {
        let mut records = Vec::new();
        self.rows().gather(indices, &mut records)?;
        batch.clear();
        batch.reserve(records.len());
        for (record, &index) in records.iter().zip(indices) {
            let decoded = record.decode();
            batch.push(decoded.map_err(|error| self.rows().no_position(index, error))?);
        }
        Ok(())
    }

    numbered_alike!();
}

impl FlatDataset {
    fn no_position(&self, index: u64, error: crate::FlatError) -> DatasetError {
        let (file, row) = self.starts.find(index).unwrap_or_default();
        self.row_error(file, row, error)
    }
}
