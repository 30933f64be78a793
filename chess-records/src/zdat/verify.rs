//! Everything that can be wrong with a file, one by one.

use std::vec::Vec;

use thiserror::Error;

use super::decode::{OwnMen, SCALAR_NAMES, ZdatRecordError, scalar_offset};
use super::group::{GroupFault, ZdatGroup};
use super::layout::{Layout, RankOrder};
use super::record::{CASTLING, FIFTY, REPEATED, ZdatRecord};
use super::view::ZdatView;

/// Something that is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("{}group {group} at byte {byte_offset}", RecordPart(*record))]
pub struct ZdatFault {
    /// The group's number.
    pub group: u64,
    /// The record's number in the file, unless the whole group is at fault.
    pub record: Option<u64>,
    /// Where the group's frame starts in the file. Records have no bytes of their own in a file.
    pub byte_offset: u64,
    /// What is wrong.
    #[source]
    pub error: ZdatFaultKind,
}

/// What is wrong with a group or record.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ZdatFaultKind {
    /// The group cannot be decompressed.
    #[error(transparent)]
    Group(#[from] GroupFault),
    /// The record is not sound.
    #[error(transparent)]
    Record(#[from] ZdatRecordError),
}

struct RecordPart(Option<u64>);

impl std::fmt::Display for RecordPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0
            .map_or(Ok(()), |record| write!(f, "record {record} in "))
    }
}

impl<D: AsRef<[u8]>> ZdatView<D> {
    /// Checks every group and every record, and yields all that is wrong, in order. A record may
    /// have several faults. What depends on the layout is checked where one is given: see
    /// [`ZdatRecord::faults`].
    pub fn verify(&self, layout: Option<Layout>) -> impl Iterator<Item = ZdatFault> {
        let mut decoder = self.decoder();
        let mut buffer = ZdatGroup::new();
        (0..self.group_count()).flat_map(move |group| {
            let byte_offset = self.offset(group);
            let fault = |record, error| ZdatFault {
                group,
                record,
                byte_offset,
                error,
            };
            if let Err(error) = decoder.read_group(group, &mut buffer) {
                return Vec::from([fault(None, error.error.into())]);
            }
            let mut faults = Vec::new();
            for (number, record) in (buffer.first_record()..).zip(buffer.records()) {
                let found = record.faults(layout).into_iter();
                faults.extend(found.map(|error| fault(Some(number), error.into())));
            }
            faults
        })
    }
}

impl ZdatRecord {
    /// All that is wrong with the record.
    ///
    /// Checked are: that every number is finite; that evaluations are from −1 to 1, the fifty-move
    /// counter from 0 to 1, castling rights and repetition 0 or 1, the outcome −1, 0 or 1; that men
    /// do not overlap, each side has one king and there are at most 32 men. With a layout: also that
    /// castling rights and en passant square fit the men, and that every move of the policy leaves
    /// an own man and ends on none (castling written as king onto own rook excepted). Without one,
    /// squares in errors are those of [`Layout::default`].
    #[must_use]
    pub fn faults(&self, layout: Option<Layout>) -> Vec<ZdatRecordError> {
        let mut faults = Vec::new();
        self.scalar_faults(&mut faults);
        if !self.score().is_finite() {
            faults.push(self.score_not_finite());
        }
        faults.extend(self.result().err());
        self.position_faults(layout, &mut faults);
        faults
    }

    fn scalar_faults(&self, faults: &mut Vec<ZdatRecordError>) {
        for (index, found) in self.scalars().into_iter().enumerate() {
            let name = SCALAR_NAMES
                .get(index)
                .copied()
                .unwrap_or("an internal scalar");
            let offset = scalar_offset(index);
            if !found.is_finite() {
                faults.push(ZdatRecordError::NotFinite {
                    name,
                    offset,
                    found,
                });
                continue;
            }
            let (min, max) = match index {
                0..CASTLING => (-1.0, 1.0),
                CASTLING..=REPEATED => {
                    faults.extend(self.flag(index).err());
                    continue;
                }
                FIFTY => (0.0, 1.0),
                _ => continue,
            };
            if !(min..=max).contains(&found) {
                faults.push(ZdatRecordError::Range {
                    name,
                    offset,
                    found,
                    min,
                    max,
                });
            }
        }
    }

    fn position_faults(&self, layout: Option<Layout>, faults: &mut Vec<ZdatRecordError>) {
        let Some(layout) = layout else {
            let placement = self.placement(RankOrder::default());
            faults.extend(placement.err().map(ZdatRecordError::from));
            return;
        };
        match self.position(layout.rows) {
            // Numbers have been checked.
            Ok(_) | Err(ZdatRecordError::Flag { .. }) => {}
            Err(error) => faults.push(error),
        }
        let own = OwnMen::of(self, layout.rows);
        faults.extend(
            self.policy(layout)
                .filter_map(|entry| own.check(entry).err()),
        );
    }
}
