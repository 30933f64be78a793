//! The sample of real data: games are found in it as its makers count them.

#![cfg(feature = "formats")]
#![cfg(feature = "std")]
// Helpers of tests fail by panicking, as tests do.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use chess_records::{CornerBishops, Dataset, MarlinRecord, MarlinView, RecordFile};

const RECORDS: u64 = 201_608;
const GAMES: usize = 27_391;

fn sample() -> RecordFile<MarlinRecord> {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    RecordFile::read(crate_folder.join("../examples/data/real-sample.marlin")).unwrap()
}

fn answers(dataset: &impl Dataset, answer: Option<bool>) -> usize {
    let all = (0..dataset.len()).map(|index| dataset.game_start(index));
    all.filter(|&found| found == answer).count()
}

#[test]
fn every_record_is_sound() {
    assert_eq!(sample().len(), RECORDS);
    assert_eq!(sample().verify().count(), 0);
}

#[test]
fn games_are_told_apart() {
    let sample = sample();
    assert_eq!(answers(&sample, Some(true)), GAMES);
    assert_eq!(answers(&sample, None), 0);
}

#[test]
fn a_part_of_the_file_is_in_order_too() {
    let records = sample();
    let part = &records.records()[1000..1500];
    let bytes: Vec<u8> = part.iter().flat_map(|record| record.to_bytes()).collect();
    let part = MarlinView::new(bytes).unwrap();
    assert_eq!(answers(&part, None), 0);
}

/// Record `i` of the copy is record `i * step` of the file, round and round.
fn permuted(step: u64) -> MarlinView<Vec<u8>> {
    let sample = sample();
    let order = (0..RECORDS).map(|index| index * step % RECORDS);
    let bytes = order.flat_map(|index| sample.get(index).unwrap().to_bytes());
    MarlinView::new(bytes.collect()).unwrap()
}

#[test]
fn a_permuted_file_tells_nothing() {
    // Coprime to the number of records, so that each comes once.
    for step in [100_003, 12_347, 11] {
        let permuted = permuted(step);
        assert_eq!(answers(&permuted, None), RECORDS as usize, "step {step}");
    }
}

/// As a file that others were appended to, some of them shuffled.
#[test]
fn a_shuffled_tail_is_noticed() {
    let whole = sample();
    let shuffled = permuted(12_347);
    for share in [5, 10, 20] {
        let first = RECORDS as usize - RECORDS as usize * share / 100;
        let ordered = &whole.records()[..first];
        let tail = shuffled.records()[first..].iter();
        let bytes: Vec<u8> = ordered
            .iter()
            .chain(tail)
            .flat_map(|record| record.to_bytes())
            .collect();
        let view = MarlinView::new(bytes).unwrap();
        assert_eq!(view.game_start(1), None, "{share}% shuffled");
    }
}

#[test]
fn bishops_for_castling_rooks_are_noticed() {
    let mut sound = CornerBishops::new();
    let mut damaged = CornerBishops::new();
    for record in sample().records() {
        sound.add(&record.decode().unwrap());
        damaged.add(&with_bishops(record).decode().unwrap());
    }
    println!("sound: {sound}\ndamaged: {damaged}");
    assert!(!sound.looks_damaged(), "{sound}");
    assert!(damaged.looks_damaged(), "{damaged}");
}

/// What bulletformat 1.8.0's conversion does: code 6 becomes 2.
fn with_bishops(record: &MarlinRecord) -> MarlinRecord {
    let mut bytes = record.to_bytes();
    for byte in &mut bytes[8..24] {
        let bishop = |code: u8| if code & 7 == 6 { code ^ 4 } else { code };
        *byte = bishop(*byte & 15) | bishop(*byte >> 4) << 4;
    }
    MarlinRecord::from_bytes(&bytes)
}

#[test]
fn the_sample_says_where_it_comes_from() {
    let notes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/data/README.md");
    assert!(fs::read_to_string(notes).unwrap().contains("27,391 games"));
}
