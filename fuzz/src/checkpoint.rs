//! Checkpoints of training runs.

use std::hash::Hasher;

use chess_nnue::train::Checkpoint;
use twox_hash::XxHash3_64;

/// Where a checkpoint has its checksum.
const CHECKSUM: std::ops::Range<usize> = 32..40;

/// Takes the bytes for a checkpoint, as they are and with their checksum set right, so that what lies
/// behind it is reached too. What is accepted must be written as the same bytes.
pub fn checkpoint(data: &[u8]) {
    read(data);
    if data.len() < CHECKSUM.end {
        return;
    }
    let mut data = data.to_vec();
    data[CHECKSUM].fill(0);
    let mut hasher = XxHash3_64::new();
    hasher.write(&data);
    data[CHECKSUM].copy_from_slice(&hasher.finish().to_le_bytes());
    read(&data);
}

fn read(data: &[u8]) {
    match Checkpoint::from_bytes(data) {
        Ok(checkpoint) => {
            assert_eq!(checkpoint.to_bytes(), data);
            assert_eq!(
                checkpoint.best().is_some(),
                checkpoint.validation_loss().is_some()
            );
            let _ = checkpoint.parameters().quantize();
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
