//! The learning rate over a run.

/// The rate of an epoch, numbered from 1, out of `epochs`: `rate`, and a tenth of it for the last
/// quarter of them, rounded down.
pub(super) fn learning_rate(rate: f64, epoch: u32, epochs: u32) -> f64 {
    if epoch > epochs - epochs / 4 {
        rate / 10.0
    } else {
        rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn the_last_quarter_is_slow() {
        let slow = |epochs| -> Vec<u32> {
            (1..=epochs)
                .filter(|&epoch| learning_rate(1e-3, epoch, epochs) < 5e-4)
                .collect()
        };
        assert_eq!(slow(20), [16, 17, 18, 19, 20]);
        assert_eq!(slow(7), [7]);
        assert!(slow(3).is_empty());
        assert_eq!(learning_rate(1e-3, 20, 20), 1e-4);
    }
}
