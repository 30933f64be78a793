//! Every kernel against what the records decode to, and against the scalar one.
// Helpers of tests fail by panicking, as tests do.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::Board;
use proptest::prelude::*;
use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

type Expanded = (bool, Vec<u8>, Vec<MenBytes>, Vec<MenBytes>);

fn run(kernel: Kernel, packed: &[Packed], table: &[u8; 16]) -> Expanded {
    let len = packed.len();
    let (mut counts, mut squares) = (vec![7; len], vec![[7; 32]; len]);
    let mut pieces = vec![[7; 32]; len];
    let out = Out {
        counts: &mut counts,
        squares: &mut squares,
        pieces: &mut pieces,
    };
    let sound = (kernel.run)(packed, table, out);
    (sound, counts, squares, pieces)
}

/// All kernels give the same where the records are sound, and else all say that they are not.
fn check(packed: &[Packed]) {
    for table in [MARLIN, BULLET] {
        let expected = run(scalar::KERNEL, packed, &table);
        let sound = packed.iter().all(|packed| scalar::is_sound(packed, &table));
        assert_eq!(expected.0, sound);
        for kernel in kernels() {
            let found = run(kernel, packed, &table);
            assert_eq!(found.0, sound, "{}", kernel.name);
            if sound {
                assert_eq!(found, expected, "{}", kernel.name);
            }
        }
    }
}

/// A record whose mask has `men` squares out of `mask`'s, with valid nibbles.
fn sound(mask: u64, men: u32, nibbles: [u8; 16]) -> Packed {
    let mut occupied = mask;
    while occupied.count_ones() > men {
        occupied &= occupied - 1;
    }
    let mut packed = [0; 32];
    packed[..8].copy_from_slice(&occupied.to_le_bytes());
    for (place, byte) in packed[8..24].iter_mut().zip(nibbles) {
        let valid = |nibble: u8| (nibble & 8) | ((nibble & 7) % 6);
        *place = valid(byte & 0xf) | (valid(byte >> 4) << 4);
    }
    packed
}

#[test]
fn kernels_of_this_machine() {
    let names: Vec<_> = kernels().map(|kernel| kernel.name).collect();
    assert_eq!(names[0], "scalar");
    assert_eq!(best_kernel().name, *names.last().unwrap());
}

#[test]
fn extremes() {
    let full = [0xff; 32];
    let none = [0; 32];
    check(&[]);
    check(&[none]);
    check(&[none, full]);
    for men in 0..=32 {
        for mask in [
            u64::MAX,
            u64::MAX << 32,
            u64::MAX >> 32,
            0xffff_0000_0000_ffff,
        ] {
            check(&[sound(mask, men, [0x5d; 16]), none]);
        }
    }
    for men in 33..=64 {
        check(&[sound(u64::MAX, men, [0; 16])]);
    }
    // Each invalid nibble at each place, used and unused.
    for place in 0..32 {
        for nibble in [6, 7, 14, 15] {
            let mut packed = sound(u64::MAX, 32, [0; 16]);
            packed[8 + place / 2] |= nibble << (4 * (place % 2));
            check(&[packed]);
            packed[..8].copy_from_slice(&((1u64 << place) - 1).to_le_bytes());
            check(&[packed]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 512 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn kernels_agree_on_any_bytes(packed in prop::collection::vec(any::<[u8; 32]>(), 0..9)) {
        check(&packed);
    }

    #[test]
    fn kernels_agree_on_sound_records(
        records in prop::collection::vec((any::<u64>(), 0u32..33, any::<[u8; 16]>()), 0..40)
    ) {
        let packed: Vec<_> = records.into_iter().map(|(mask, men, nibbles)| sound(mask, men, nibbles)).collect();
        check(&packed);
    }
}

const LINES: [&str; 3] = [
    "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1 | 17 | 1.0",
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1 | 0 | 0.5",
    "1r2k1r1/8/3q4/8/1N6/8/8/RR2K1RR w BGbg - 5 1 | -5 | 0.0",
];

fn records() -> Vec<MarlinRecord> {
    let labelled = LINES.map(|line| crate::LabelledPosition::from_text(line).unwrap());
    let record = |labelled| MarlinRecord::encode(labelled, 0).unwrap();
    labelled.iter().map(record).collect()
}

#[test]
fn men_are_those_that_decoding_finds() {
    let mut batch = MenBatch::new();
    batch.fill(&records()).unwrap();
    for (index, record) in records().iter().enumerate() {
        let placement = record.decode().unwrap().placement();
        let mut expected: Vec<_> = placement.pieces().collect();
        expected.sort_by_key(|&(_, square)| square);
        assert_eq!(batch.men(index).collect::<Vec<_>>(), expected);
        assert_eq!(u32::from(batch.counts()[index]), placement.men());
    }
    assert_eq!(batch.squares()[1][..3], [4, 60, NO_MAN]);
    assert_eq!(batch.pieces()[1][..3], [5, 13, NO_MAN]);
    batch.fill(&records()[1..2]).unwrap();
    assert_eq!(batch.counts(), [2]);
    let bullet = BulletRecord::from_marlin_lossy(&records()[0]).unwrap();
    batch.fill(&[bullet]).unwrap();
    assert_eq!(batch.men(0).count(), 32);
}

#[test]
fn faults_name_the_first_record() {
    let mut batch = MenBatch::new();
    let mut error = |change: fn(&mut [u8; 32])| -> String {
        let mut records = records();
        for record in &mut records[1..] {
            let mut bytes = record.to_bytes();
            change(&mut bytes);
            *record = MarlinRecord::from_bytes(&bytes);
        }
        let fault = batch.fill(&records).unwrap_err();
        std::format!("{fault}: {}", fault.error)
    };
    assert_eq!(
        error(|bytes| bytes[8] = 0xd7),
        "record 1 at byte 32: the piece on e1 (offset 8) is 7, expected 0-6 or 8-14"
    );
    assert_eq!(
        error(|bytes| bytes[..8].fill(0xff)),
        "record 1 at byte 32: 64 squares are occupied (offset 0), expected at most 32"
    );
    let mut bytes = BulletRecord::from_marlin_lossy(&records()[0])
        .unwrap()
        .to_bytes();
    bytes[8] = 0x16; // marlinformat's castling rook
    let fault = batch.fill(&[BulletRecord::from_bytes(&bytes)]).unwrap_err();
    assert_eq!(
        fault.error.to_string(),
        "the piece on a1 (offset 8) is 6, expected 0-5 or 8-13"
    );
}

#[test]
#[should_panic = "3 records into [3, 2, 3] places"]
fn places_that_are_too_few() {
    let _ = expand_men(
        &records(),
        &mut [0; 3],
        &mut [[0; 32]; 2],
        &mut [[0; 32]; 3],
    );
}
