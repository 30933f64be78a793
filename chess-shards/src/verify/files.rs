//! All rows of some files.

use std::path::PathBuf;

use chess_records::{Dataset, DatasetError};
use thiserror::Error;

use super::{RowFault, Verifier};
use crate::{FlatDataset, FlatRecord};

/// A row that does not fit together, and where it is.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: row {row} at byte {byte_offset}", path.display())]
#[non_exhaustive]
pub struct FlatFault {
    /// The file.
    pub path: PathBuf,
    /// The row's number in the file.
    pub row: u64,
    /// Where it starts in the file, in bytes; of a shard decompressed into memory, after its header.
    pub byte_offset: u64,
    /// What does not fit.
    #[source]
    pub fault: RowFault,
}

impl FlatDataset {
    /// Checks every row as [`Verifier::check`] does and hands those at fault to `found`, in order.
    /// Says how many there were.
    ///
    /// # Errors
    ///
    /// When rows cannot be read.
    pub fn verify(&self, mut found: impl FnMut(FlatFault)) -> Result<u64, DatasetError> {
        let (mut verifier, mut faults) = (Verifier::new(), 0);
        self.for_each(|index, row| {
            if let Err(fault) = verifier.check(row) {
                faults += 1;
                found(self.fault_at(index, fault));
            }
        })?;
        Ok(faults)
    }

    /// Shows every row with its number, block by block.
    ///
    /// # Errors
    ///
    /// When rows cannot be read.
    pub fn for_each(&self, mut show: impl FnMut(u64, &FlatRecord)) -> Result<(), DatasetError> {
        let mut batch = Vec::new();
        let mut indices = Vec::new();
        for block in 0..self.block_count() {
            indices.clear();
            indices.extend(self.block(block));
            self.gather(&indices, &mut batch)?;
            for (&index, row) in indices.iter().zip(&batch) {
                show(index, row);
            }
        }
        Ok(())
    }

    /// What is wrong with the row `index`, and where that is: for those who check rows by themselves.
    #[must_use]
    pub fn fault_at(&self, index: u64, fault: RowFault) -> FlatFault {
        let (path, row, byte_offset) = self.place(index).unwrap_or_default();
        FlatFault {
            path,
            row,
            byte_offset,
            fault,
        }
    }
}
