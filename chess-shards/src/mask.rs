//! Which of all 4672 actions are legal, as a dense mask.
//!
//! A row lists its legal actions and fills up with 4672. The mask of a batch is made by scattering:
//! of a zeroed array of shape (rows, 4673), set `[row, legal_idx[row, i]]` for every *i*, and drop the
//! last column. In numpy, `np.put_along_axis(mask, legal_idx, 1, axis=1)`; in PyTorch,
//! `mask.scatter_(1, legal_idx, 1)`; reshaped to (rows, 64, 73) it is indexed by from-square and plane.
//! The functions here do the same without the column that is dropped. Numbers over 4672, which no
//! sound row has, set nothing either.

use crate::{Action, FlatColumns, FlatRecord};

/// The mask of a row as bits: action *a* is bit *a* mod 64 of word *a* / 64.
pub type MaskBits = [u64; Action::COUNT / 64];

impl FlatRecord {
    /// The mask of this row as bits.
    #[must_use]
    pub fn mask_bits(&self) -> MaskBits {
        bits(&self.legal_idx())
    }
}

impl FlatColumns {
    /// The mask of each row as bits, in place of the contents of `out`.
    pub fn mask_bits(&self, out: &mut Vec<MaskBits>) {
        out.clear();
        out.extend(self.legal_idx.iter().map(bits));
    }

    /// The mask of each row, one value an action, in place of the contents of `out`: row *r*, action
    /// *a* is element *r* · 4672 + *a*.
    pub fn mask_bools(&self, out: &mut Vec<bool>) {
        scatter(&self.legal_idx, out, true);
    }

    /// As [`mask_bools`](Self::mask_bools), with 1 where an action is legal and 0 elsewhere.
    pub fn mask_bytes(&self, out: &mut Vec<u8>) {
        scatter(&self.legal_idx, out, 1);
    }
}

fn bits(legal_idx: &[u16; 64]) -> MaskBits {
    let mut bits = [0; Action::COUNT / 64];
    for &action in legal_idx {
        if let Some(word) = bits.get_mut(usize::from(action) / 64) {
            *word |= 1 << (action % 64);
        }
    }
    bits
}

fn scatter<T: Copy + Default>(legal_idx: &[[u16; 64]], out: &mut Vec<T>, legal: T) {
    out.clear();
    out.resize(legal_idx.len() * Action::COUNT, T::default());
    for (row, legal_idx) in out.chunks_exact_mut(Action::COUNT).zip(legal_idx) {
        for &action in legal_idx {
            if let Some(place) = row.get_mut(usize::from(action)) {
                *place = legal;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_say_the_same() {
        let start = FlatRecord::from_bytes(&crate::record::tests::dump());
        let mut odd = start.fields();
        odd.legal_idx = [Action::PAD; 64];
        odd.legal_idx[..4].copy_from_slice(&[0, 4671, 4673, u16::MAX]);
        let odd = FlatRecord::from_fields(&odd);
        let columns: FlatColumns = [start, odd].iter().collect();
        let (mut bits, mut bools, mut bytes) = (vec![[7; 73]], vec![true], vec![7]);
        columns.mask_bits(&mut bits);
        columns.mask_bools(&mut bools);
        columns.mask_bytes(&mut bytes);
        assert_eq!(bits, [start.mask_bits(), odd.mask_bits()]);
        assert_eq!(bools.len(), 2 * 4672);
        for (place, &legal) in bools.iter().enumerate() {
            let (row, action) = (place / 4672, place % 4672);
            let record = [start, odd][row];
            assert_eq!(legal, record.legal_idx().contains(&(action as u16)));
            assert_eq!(bytes[place], u8::from(legal));
            assert_eq!(bits[row][action / 64] >> (action % 64) & 1 == 1, legal);
        }
        assert_eq!(bools.iter().filter(|&&legal| legal).count(), 22);
    }
}
