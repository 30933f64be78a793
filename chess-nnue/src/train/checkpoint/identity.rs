//! How data are known again.

use core::hash::Hasher;
use std::vec::Vec;

use chess_records::{Dataset, Labelled, Score};
use twox_hash::XxHash3_64;

use super::ResumeError;
use crate::train::target::SampleError;

/// How many samples there are, and the checksum of some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::train) struct DataIdentity {
    pub(in crate::train) len: u64,
    pub(in crate::train) fingerprint: u64,
}

impl DataIdentity {
    /// How many samples are looked at: few, as each may lie in a compressed group of its own.
    const SAMPLES: u64 = 64;

    /// Looks at the first sample, the last one and some between them.
    pub(in crate::train) fn of<D, S>(dataset: &D) -> Result<Self, SampleError>
    where
        D: Dataset<Batch = Vec<S>> + ?Sized,
        S: Labelled,
    {
        let len = dataset.len();
        if len == 0 {
            return Err(SampleError::Empty);
        }
        let looked_at = len.min(Self::SAMPLES);
        let way = |number: u64| u128::from(number) * u128::from(len - 1);
        let index = |number| (way(number) / u128::from((looked_at - 1).max(1))) as u64;
        let indices: Vec<u64> = (0..looked_at).map(index).collect();
        let mut samples = Vec::new();
        dataset.gather(&indices, &mut samples)?;
        let mut hasher = XxHash3_64::new();
        samples.iter().for_each(|sample| hash(sample, &mut hasher));
        Ok(Self {
            len,
            fingerprint: hasher.finish(),
        })
    }

    /// Whether the data of a checkpoint are these.
    pub(super) fn check(&self, set: &'static str, found: &Self) -> Result<(), ResumeError> {
        if found.len != self.len {
            return Err(ResumeError::Len {
                set,
                found: found.len,
                expected: self.len,
            });
        }
        if found.fingerprint != self.fingerprint {
            return Err(ResumeError::Fingerprint {
                set,
                found: found.fingerprint,
                expected: self.fingerprint,
            });
        }
        Ok(())
    }
}

/// All that is learnt from a sample. Bytes are written one by one, so that it is the same on every
/// machine.
fn hash(sample: &impl Labelled, hasher: &mut XxHash3_64) {
    let placement = sample.placement();
    for (piece, square) in placement.pieces() {
        let man = [
            piece.color.index(),
            piece.piece_type.index(),
            square.index(),
        ];
        hasher.write(&man.map(|part| part as u8));
    }
    let label = sample.label();
    let (kind, score) = match label.score {
        None => (0, [0; 4]),
        Some(Score::Centipawns(score_cp)) => (1, i32::from(score_cp).to_le_bytes()),
        Some(Score::Expected(points)) => (2, points.to_le_bytes()),
        Some(_) => (3, [0; 4]),
    };
    let result = label.result.map_or(u8::MAX, u8::from);
    hasher.write(&[0xff, sample.side_to_move().index() as u8, kind, result]);
    hasher.write(&score);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::train_common::random_positions;
    use chess_records::{Board, Label, Position};

    #[test]
    fn data_are_known_by_their_number_and_by_samples() {
        let positions = random_positions(500, 1);
        let identity = DataIdentity::of(&positions).unwrap();
        assert_eq!(DataIdentity::of(&positions.clone()).unwrap(), identity);
        let mut other = positions.clone();
        other.0[499].label = Label::new(None, None);
        let other = DataIdentity::of(&other).unwrap();
        assert_eq!(other.len, 500);
        assert_ne!(other.fingerprint, identity.fingerprint);
        let mut longer = positions.clone();
        longer.0.push(longer.0[499]);
        assert_ne!(DataIdentity::of(&longer).unwrap(), identity);
        for few in 1..4 {
            assert!(DataIdentity::of(&random_positions(few, 1)).is_ok());
        }
        assert!(DataIdentity::of(&random_positions(0, 1)).is_err());
    }

    #[test]
    fn every_part_of_a_sample_counts() {
        let whole = |sample: &chess_records::LabelledPosition| {
            let mut hasher = XxHash3_64::new();
            hash(sample, &mut hasher);
            hasher.finish()
        };
        let sample = random_positions(1, 5).0[0];
        let mut changed = [sample; 5];
        changed[0].label.result = None;
        changed[1].label.score = Some(Score::Centipawns(1));
        changed[2].label.score = Some(Score::Expected(0.5));
        let placement = sample.position.placement();
        let mover = sample.position.side_to_move();
        changed[3].position = Position::new(placement, mover.opponent());
        changed[4].position = Position::new(placement.flipped(), mover);
        for other in &changed {
            assert_ne!(whole(other), whole(&sample));
        }
    }
}
