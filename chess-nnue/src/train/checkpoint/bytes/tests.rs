use super::*;
use std::string::{String, ToString};

fn checkpoint() -> Checkpoint {
    let architecture = Architecture::new(16).unwrap().with_eval_scale(115).unwrap();
    let parameters = Parameters::random(&architecture, 1);
    let mut optimizer = OptimizerState::new(parameters.weights());
    optimizer.steps = 300;
    optimizer.means.output_biases[0] = -0.5;
    optimizer.squares.output_biases[0] = 0.25;
    let identity = |len, fingerprint| DataIdentity { len, fingerprint };
    Checkpoint {
        parameters,
        optimizer,
        progress: Progress {
            records: 19_200,
            epoch_loss: 1.5,
            epoch_records: 64,
            best: Some(Best {
                epoch: 2,
                validation_loss: 0.25,
            }),
            validation_loss: Some(0.5),
        },
        place: Place {
            len: 1000,
            block_count: Some(4),
            pass: 3,
            position: 64,
        },
        data: Data {
            training: identity(1000, 1),
            validation: identity(100, 2),
        },
        description: "epochs = 9".into(),
    }
}

/// The bytes of the dump at the head of this file, the checksum zero.
fn dump() -> Vec<u8> {
    let lines = include_str!("../bytes.rs").lines();
    let lines = lines.skip_while(|line| *line != "//! ```text").skip(1);
    let lines = lines.take_while(|line| *line != "//! ```");
    let bytes = lines.flat_map(|line| {
        let (bytes, _) = line[4..].split_once("  ").unwrap();
        bytes
            .split(' ')
            .map(|byte| u8::from_str_radix(byte, 16).unwrap_or(0))
    });
    bytes.collect()
}

#[test]
fn the_header_is_that_of_the_dump() {
    let mut bytes = checkpoint().to_bytes();
    assert_eq!(Checkpoint::from_bytes(&bytes).unwrap(), checkpoint());
    bytes[CHECKSUM].fill(0);
    let dump = dump();
    assert_eq!(dump.len(), KING_MAP);
    assert_eq!(bytes[..KING_MAP], dump);
    assert_eq!(bytes[KING_MAP..HEADER], [0; 64]);
    assert_eq!(&bytes[HEADER..][..10], b"epochs = 9");
    let values = 12_288 + 16 + 32 + 1;
    assert_eq!(bytes.len(), HEADER + 10 + 3 * 4 * values);
    assert_eq!(bytes[bytes.len() - 4..], 0.25f32.to_le_bytes());
}

#[test]
fn a_run_that_has_just_begun() {
    let mut begun = checkpoint();
    begun.progress = Progress::default();
    begun.place.block_count = None;
    assert_eq!(Checkpoint::from_bytes(&begun.to_bytes()).unwrap(), begun);
}

/// What is said of bytes that are changed and have the right checksum.
fn text(checkpoint: &Checkpoint, byte_offset: usize, bytes: &[u8]) -> String {
    let mut all = checkpoint.to_bytes();
    all[byte_offset..byte_offset + bytes.len()].copy_from_slice(bytes);
    let checksum = checksum(&all);
    all[CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
    Checkpoint::from_bytes(&all).unwrap_err().to_string()
}

#[test]
fn fields_out_of_range_are_named() {
    let whole = checkpoint();
    let text = |byte_offset, bytes: &[u8]| text(&whole, byte_offset, bytes);
    assert_eq!(
        text(10, &[2]),
        "activation at byte 10 is 2, expected 0 (CReLU) or 1 (SCReLU)"
    );
    assert_eq!(text(12, &[8]), "flags at byte 12 is 8, expected 0 to 7");
    assert_eq!(text(12, &[4]), "blocks at byte 104 is 4, expected 0");
    assert_eq!(text(12, &[2]), "best epoch at byte 72 is 2, expected 0");
    assert_eq!(
        text(72, &[0]),
        "best epoch at byte 72 is 0, expected 1 to 4294967295"
    );
    assert_eq!(
        text(80, &f64::NAN.to_le_bytes()),
        "best validation loss at byte 80 is NaN, expected a finite number of 0 or more"
    );
    assert_eq!(
        text(56, &(-1.0f64).to_le_bytes()),
        "epoch loss at byte 56 is -1, expected a finite number of 0 or more"
    );
    assert_eq!(
        text(24, &[17]),
        "the header asks for an impossible network: hidden size 17, expected a multiple of 16 \
         from 16 to 4096"
    );
    assert_eq!(
        text(HEADER, &[0xff]),
        "the description at byte 256 is not UTF-8"
    );
    let lens = [12_289u64, 0, 15].map(u64::to_le_bytes).concat();
    assert_eq!(
        text(LENS, &lens),
        "the parameters: feature_weights has 12289 values, expected 12288"
    );
}

#[test]
fn values_that_no_run_has_are_named() {
    let whole = checkpoint();
    let values = HEADER + 10;
    let copy = 4 * (12_288 + 16 + 32 + 1);
    let nan = f32::NAN.to_le_bytes();
    assert_eq!(
        text(&whole, values + 4, &nan),
        "the parameters: value 1 of feature_weights is not finite"
    );
    assert_eq!(
        text(&whole, values + copy + 4 * 12_288, &nan),
        "value 0 of feature_biases of the means is NaN, expected a finite number"
    );
    assert_eq!(
        text(&whole, values + 3 * copy - 4, &(-1f32).to_le_bytes()),
        "value 0 of output_biases of the squares is -1, expected a finite number of 0 or more"
    );
}
