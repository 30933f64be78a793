//! Records as a dataset.

use std::boxed::Box;
use std::ops::Range;
use std::vec::Vec;

use crate::game_order;
use crate::view::decode_as;
use crate::{Dataset, DatasetError, Fault, FixedRecord, LabelledPosition, RecordFile, RecordView};

impl<R, D> RecordView<R, D> {
    /// How many records make a [block](Dataset::block); the last may have fewer. Of 32-byte records
    /// a block is 128 KiB.
    pub const RECORDS_PER_BLOCK: u64 = 4096;
}

/// Records as they stand, decoded and checked as they are gathered.
///
/// A game starts where (fullmove number, side to move) does not grow, and at record 0. Where one of
/// two neighbours has fullmove number 0, and everywhere in [`MarlinMoveRecord`]s and in files that
/// are not in game order, [`Dataset::game_start`] is `None`. Order is judged once, from at most
/// 4096 records: where more than a tenth of the neighbours that the rule puts into one game differ
/// in result or gain men, the records are not in game order.
///
/// [`MarlinMoveRecord`]: crate::MarlinMoveRecord
impl<R: FixedRecord, D: AsRef<[u8]> + Send + Sync> Dataset for RecordView<R, D> {
    type Batch = Vec<LabelledPosition>;

    fn len(&self) -> u64 {
        self.len()
    }

    fn gather(
        &self,
        indices: &[u64],
        batch: &mut Vec<LabelledPosition>,
    ) -> Result<(), DatasetError> {
        batch.clear();
        batch.reserve(indices.len());
        let records = self.records();
        let len = records.len() as u64;
        for &index in indices {
            if index >= len {
                return Err(DatasetError::OutOfRange { index, len });
            }
            let decoded = decode_as(index, &records[index as usize]);
            batch.push(decoded.map_err(record_error)?);
        }
        Ok(())
    }

    fn block_count(&self) -> u64 {
        self.len().div_ceil(Self::RECORDS_PER_BLOCK)
    }

    fn block(&self, block: u64) -> Range<u64> {
        let count = self.block_count();
        assert!(block < count, "block {block} of {count}");
        let start = block * Self::RECORDS_PER_BLOCK;
        start..self.len().min(start + Self::RECORDS_PER_BLOCK)
    }

    fn game_start(&self, index: u64) -> Option<bool> {
        let records = self.records();
        assert!(index < self.len(), "record {index} of {}", self.len());
        let ordered = self
            .in_game_order
            .get_or_init(|| game_order::in_game_order(records));
        if *ordered {
            game_order::game_start(records, index as usize)
        } else {
            None
        }
    }
}

fn record_error<E: std::error::Error + Send + Sync + 'static>(fault: Fault<E>) -> DatasetError {
    DatasetError::Record {
        index: fault.index,
        byte_offset: fault.byte_offset,
        source: Box::new(fault.error),
    }
}

/// As the [view](RecordView)'s, with the file's path in errors.
impl<R: FixedRecord> Dataset for RecordFile<R> {
    type Batch = Vec<LabelledPosition>;

    fn len(&self) -> u64 {
        self.view().len()
    }

    fn gather(
        &self,
        indices: &[u64],
        batch: &mut Vec<LabelledPosition>,
    ) -> Result<(), DatasetError> {
        let gathered = self.view().gather(indices, batch);
        gathered.map_err(|source| DatasetError::Source {
            name: std::format!("{}", self.path().display()),
            source: Box::new(source),
        })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MarlinMoveRecord, MarlinRecord, MarlinView};
    use std::error::Error;
    use std::string::ToString;

    /// Bare kings with the record's number as halfmove clock.
    fn records(count: usize) -> Vec<u8> {
        let record = |number: usize| {
            let mut bytes = [0; 32];
            (bytes[0], bytes[7], bytes[8]) = (0x10, 0x10, 0xd5);
            (bytes[24], bytes[25], bytes[30]) = (64, number as u8, 1);
            bytes
        };
        (0..count).flat_map(record).collect()
    }

    #[test]
    fn batches_are_gathered_in_the_order_asked_for() {
        let view = MarlinView::new(records(9)).unwrap();
        let mut batch = Vec::new();
        for indices in [&[8, 0, 3, 3][..], &[1], &[]] {
            view.gather(indices, &mut batch).unwrap();
            let clocks = batch.iter().map(|one| one.position.halfmove_clock());
            assert!(clocks.eq(indices.iter().map(|&index| Some(index as u8))));
        }
    }

    #[test]
    fn faults_while_gathering() {
        let mut bytes = records(3);
        bytes[2 * 32 + 30] = 3;
        let view = MarlinView::new(bytes).unwrap();
        let mut batch = Vec::new();
        let error = view.gather(&[0, 3], &mut batch).unwrap_err();
        assert_eq!(error.to_string(), "sample 3 asked for, the dataset holds 3");
        let error = view.gather(&[1, 2], &mut batch).unwrap_err();
        assert_eq!(error.to_string(), "record 2 at byte 64");
        assert_eq!(
            error.source().unwrap().to_string(),
            "the result (offset 30) is 3, expected 0 Black won, 1 draw or 2 White won"
        );
    }

    #[test]
    fn blocks_hold_every_record_once() {
        for (count, blocks) in [(0, 0), (1, 1), (4096, 1), (4097, 2)] {
            let view = MarlinView::new(records(count)).unwrap();
            assert_eq!(view.block_count(), blocks);
            let all = (0..blocks).flat_map(|block| view.block(block));
            assert!(all.eq(0..count as u64));
        }
    }

    #[test]
    #[should_panic(expected = "block 1 of 1")]
    fn a_block_past_the_end() {
        MarlinView::new(records(1)).unwrap().block(1);
    }

    #[test]
    #[should_panic(expected = "record 1 of 1")]
    fn a_game_start_past_the_end() {
        MarlinView::new(records(1)).unwrap().game_start(1);
    }

    #[test]
    fn records_with_a_move_tell_no_games() {
        let mut bytes = records(2);
        (bytes[26], bytes[32 + 26]) = (1, 2); // would be move numbers
        let marlin = MarlinView::new(&bytes).unwrap();
        assert_eq!(marlin.game_start(0), Some(true));
        assert_eq!(marlin.game_start(1), Some(false));
        let moves = RecordView::<MarlinMoveRecord, _>::new(&bytes).unwrap();
        assert_eq!(moves.game_start(0), None);
        assert_eq!(moves.game_start(1), None);
        let mut batch = Vec::new();
        moves.gather(&[1], &mut batch).unwrap();
        assert_eq!(batch[0].position.fullmove_number(), None);
    }

    #[test]
    fn views_are_datasets_behind_a_pointer() {
        let view = RecordView::<MarlinRecord, _>::new(records(2)).unwrap();
        let boxed: Box<dyn Dataset<Batch = Vec<LabelledPosition>>> = Box::new(view);
        assert_eq!(boxed.len(), 2);
        assert_eq!(boxed.game_start(0), None, "no record tells its number");
    }
}
