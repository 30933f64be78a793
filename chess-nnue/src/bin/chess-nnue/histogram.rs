//! Numbers as a histogram of text.

use std::io::Write;

use serde_json::{Value, json};

use crate::Outcome;

const BINS: usize = 17;
const BAR: u64 = 50;

/// How often numbers of a list fall into equal ranges around zero.
pub(crate) struct Histogram {
    counts: [u64; BINS],
    /// How many numbers a range spans.
    width: i64,
    min: i64,
    max: i64,
    zeros: u64,
    len: u64,
    absolute: f64,
}

impl Histogram {
    pub(crate) fn of(numbers: impl Iterator<Item = i64> + Clone) -> Self {
        let min = numbers.clone().min().unwrap_or(0);
        let max = numbers.clone().max().unwrap_or(0);
        let reach = min.unsigned_abs().max(max.unsigned_abs());
        // Odd, so that the middle range is around zero and there are as many on either side.
        let width = (2 * reach + 1).div_ceil(BINS as u64) as i64 | 1;
        let mut histogram = Self {
            counts: [0; BINS],
            width,
            min,
            max,
            zeros: 0,
            len: 0,
            absolute: 0.0,
        };
        for number in numbers {
            histogram.counts[histogram.bin(number)] += 1;
            histogram.zeros += u64::from(number == 0);
            histogram.len += 1;
            histogram.absolute += number.unsigned_abs() as f64;
        }
        histogram
    }

    fn bin(&self, number: i64) -> usize {
        ((number + self.width * BINS as i64 / 2) / self.width) as usize
    }

    /// The first number of a range.
    fn start(&self, bin: usize) -> i64 {
        bin as i64 * self.width - self.width * BINS as i64 / 2
    }

    fn mean_absolute(&self) -> f64 {
        self.absolute / self.len.max(1) as f64
    }

    pub(crate) fn json(&self) -> Value {
        json!({
            "count": self.len,
            "min": self.min,
            "max": self.max,
            "zeros": self.zeros,
            "mean_absolute": self.mean_absolute(),
            "bins_from": self.start(0),
            "bin_width": self.width,
            "bins": self.counts,
        })
    }

    pub(crate) fn write(&self, title: &str, out: &mut dyn Write) -> Outcome {
        let (len, min, max, zeros) = (self.len, self.min, self.max, self.zeros);
        let mean = self.mean_absolute();
        writeln!(out, "\n{title}: {len}, from {min} to {max}")?;
        writeln!(out, "  {zeros} are zero, mean size {mean:.1}")?;
        let highest = self.counts.into_iter().max().unwrap_or(0).max(1);
        for (bin, count) in self.counts.into_iter().enumerate() {
            let (start, end) = (self.start(bin), self.start(bin + 1) - 1);
            // Whatever is there shows.
            let length = (count * BAR).div_ceil(highest) as usize;
            let line = format!("{start:>7} …{end:>7} {count:>9} {}", "#".repeat(length));
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_its_range() {
        for reach in [0i64, 1, 8, 9, 100, 505, 32_768] {
            let numbers = -reach..=reach;
            let histogram = Histogram::of(numbers.clone());
            assert_eq!(histogram.len, 2 * reach as u64 + 1);
            assert_eq!(histogram.counts.iter().sum::<u64>(), histogram.len);
            for number in numbers {
                let bin = histogram.bin(number);
                assert!(histogram.start(bin) <= number && number < histogram.start(bin + 1));
            }
            assert_eq!(histogram.bin(0), BINS / 2);
        }
    }

    #[test]
    fn the_text_shows_small_counts_too() {
        let numbers = (0..1000).map(|_| 0).chain([-8, 8]);
        let mut text = Vec::new();
        Histogram::of(numbers).write("weights", &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(
            text.starts_with("\nweights: 1002, from -8 to 8\n  1000 are zero, mean size 0.0\n")
        );
        assert!(text.contains("     -8 …     -8         1 #\n"), "{text}");
        assert_eq!(text.matches('#').count(), 52);
    }
}
