//! Which file a row is in.

/// The numbers of the first rows of files that follow each other.
#[derive(Debug)]
pub(super) struct Starts {
    /// One for each file, and the number of all rows.
    starts: Vec<u64>,
    /// For each stretch of `1 << shift` rows, the file in which it begins.
    files: Vec<u32>,
    shift: u32,
}

impl Starts {
    pub(super) fn new(rows: impl IntoIterator<Item = u64>) -> Self {
        let mut starts = vec![0];
        let mut total = 0u64;
        for rows in rows {
            total = total.saturating_add(rows);
            starts.push(total);
        }
        // A few stretches for each file, so that a file is found in about one step.
        let stretch = total / (4 * starts.len() as u64);
        let shift = stretch.checked_ilog2().unwrap_or(0);
        let count = (total >> shift) + 1;
        let mut file = 0;
        let files = (0..count).map(|stretch| {
            while starts
                .get(file + 1)
                .is_some_and(|&end| end <= stretch << shift)
            {
                file += 1;
            }
            file as u32
        });
        let files = files.collect();
        Self {
            starts,
            files,
            shift,
        }
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> u64 {
        self.starts[self.starts.len() - 1]
    }

    /// The file of a row and the row's number in it.
    #[inline]
    pub(super) fn find(&self, index: u64) -> Option<(usize, u64)> {
        if index >= self.len() {
            return None;
        }
        let mut file = self.files[(index >> self.shift) as usize] as usize;
        while self.starts[file + 1] <= index {
            file += 1;
        }
        Some((file, index - self.starts[file]))
    }

    /// The number of a file's first row.
    pub(super) fn start(&self, file: usize) -> u64 {
        self.starts[file]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn rows_are_found(rows in prop::collection::vec(prop_oneof![Just(0), 0u64..5, 0u64..4000], 0..40)) {
            let starts = Starts::new(rows.iter().copied());
            let mut index = 0;
            for (file, &rows) in rows.iter().enumerate() {
                prop_assert_eq!(starts.start(file), index);
                for row in 0..rows {
                    prop_assert_eq!(starts.find(index), Some((file, row)));
                    index += 1;
                }
            }
            prop_assert_eq!(starts.len(), index);
            prop_assert_eq!(starts.find(index), None);
            prop_assert_eq!(starts.find(u64::MAX), None);
        }
    }

    #[test]
    fn large_files() {
        let starts = Starts::new([u64::from(u32::MAX); 256]);
        assert_eq!(starts.find(u64::from(u32::MAX) * 255), Some((255, 0)));
        assert_eq!(
            starts.find(u64::from(u32::MAX) * 3 - 1),
            Some((2, u64::from(u32::MAX) - 1))
        );
    }
}
