//! Work on files against what a few naive lines in memory give.
#![cfg(all(feature = "formats", feature = "std"))]
// Helpers of tests fail by panicking, as tests do.
#![allow(clippy::unwrap_used)]

use std::collections::{HashMap, HashSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use chess_records::ops::{
    Dedup, FilesError, Inputs, Interleaved, Keep, Output, PositionKey, ScoredRecord, Shuffle,
    SplitBy, SplitFiles, SplitFilesError, interleave,
};
use chess_records::{Dataset, MarlinRecord, MarlinView};

fn go_on(_: u64, _: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The positions of the golden files, which hold no game.
fn golden() -> Vec<MarlinRecord> {
    let bytes = include_bytes!("golden/marlin/valid/positions.marlin");
    MarlinView::new(&bytes[..]).unwrap().records().to_vec()
}

/// `count` records with many duplicates: of the golden positions, with other scores, clocks and
/// results.
fn with_duplicates(count: usize) -> Vec<MarlinRecord> {
    let golden = golden();
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below
    };
    let records = (0..count).map(|_| {
        let record = golden[random(golden.len())];
        let mut bytes = record.with_stored_score_cp(random(5) as i16 - 2).to_bytes();
        bytes[30] = random(3) as u8;
        bytes[31] = random(256) as u8;
        MarlinRecord::from_bytes(&bytes)
    });
    records.collect()
}

/// Games in order: kings that walk, numbered moves, one result for each game.
fn games(lens: &[u16]) -> Vec<MarlinRecord> {
    let game = |(number, &len): (usize, &u16)| {
        (0..len).map(move |ply| {
            let mut bytes = [0; 32];
            (bytes[0], bytes[7], bytes[8]) = (1 << (ply % 7), 1 << (number % 8), 0xd5);
            bytes[24] = if ply % 2 == 0 { 64 } else { 0xc0 };
            bytes[26..28].copy_from_slice(&(1 + ply / 2).to_le_bytes());
            bytes[28..30].copy_from_slice(&(number as u16).to_le_bytes());
            bytes[30] = (number % 3) as u8;
            MarlinRecord::from_bytes(&bytes)
        })
    };
    lens.iter().enumerate().flat_map(game).collect()
}

fn write(path: &Path, records: &[MarlinRecord]) {
    let bytes: Vec<u8> = records
        .iter()
        .flat_map(|record| record.to_bytes())
        .collect();
    fs::write(path, bytes).unwrap();
}

fn read(path: &Path) -> Vec<MarlinRecord> {
    MarlinView::new(fs::read(path).unwrap())
        .unwrap()
        .records()
        .to_vec()
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn inputs(&self, files: &[&[MarlinRecord]]) -> Inputs<MarlinRecord> {
        let numbered = files.iter().enumerate().map(|(number, records)| {
            let path = self.path(&format!("in{number}"));
            write(&path, records);
            path
        });
        Inputs::open(numbered.collect::<Vec<_>>()).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

#[test]
fn a_shuffle_keeps_every_record() {
    let folder = Folder::new();
    let records = with_duplicates(10_007);
    let inputs = folder.inputs(&[&records[..3], &[], &records[3..]]);
    let out = Output::new(folder.path("out"));
    let shuffle = Shuffle {
        seed: 3,
        memory: Shuffle::MIN_MEMORY,
    };
    shuffle.run(&inputs, &out, &mut go_on).unwrap();
    let count = |records: &[MarlinRecord]| {
        let mut counts = HashMap::new();
        for record in records {
            *counts.entry(record.to_bytes()).or_insert(0) += 1;
        }
        counts
    };
    let shuffled = read(out.path());
    assert_eq!(count(&shuffled), count(&records));
    let unmoved = shuffled
        .iter()
        .zip(&records)
        .filter(|(a, b)| a == b)
        .count();
    assert!(unmoved < 100, "{unmoved}");
    let nothing = Output::new(folder.path("nothing"));
    let empty = Inputs::<MarlinRecord>::open([folder.path("in1")]).unwrap();
    shuffle.run(&empty, &nothing, &mut go_on).unwrap();
    assert!(read(nothing.path()).is_empty());
    assert_eq!(folder.names(), ["in0", "in1", "in2", "nothing", "out"]);
}

fn key(record: &MarlinRecord) -> PositionKey {
    PositionKey::new(&record.decode().unwrap().position)
}

fn naive_dedup(records: &[MarlinRecord], keep: Keep) -> Vec<MarlinRecord> {
    let mut groups: HashMap<PositionKey, Vec<usize>> = HashMap::new();
    for (index, record) in records.iter().enumerate() {
        groups.entry(key(record)).or_default().push(index);
    }
    let mut kept: Vec<(usize, MarlinRecord)> = groups
        .into_values()
        .map(|group| {
            let index = if keep == Keep::Last {
                group[group.len() - 1]
            } else {
                group[0]
            };
            let record = records[index];
            if keep != Keep::MeanScore {
                return (index, record);
            }
            let scores = group
                .iter()
                .map(|&index| f64::from(records[index].score_cp()));
            let mean = scores.sum::<f64>() / group.len() as f64;
            (index, record.with_stored_score_cp(mean.round() as i16))
        })
        .collect();
    kept.sort_by_key(|kept| kept.0);
    kept.into_iter().map(|kept| kept.1).collect()
}

#[test]
fn duplicates_are_removed_as_a_table_in_memory_would() {
    // More than one part: 56,000 records at 224 bytes, 4 MiB for tables.
    let records = with_duplicates(56_000);
    let folder = Folder::new();
    let inputs = folder.inputs(&[&records[..20_000], &records[20_000..]]);
    for keep in [Keep::First, Keep::Last, Keep::MeanScore] {
        let out = Output::replacing(folder.path("out"));
        let dedup = Dedup {
            keep,
            memory: Dedup::MIN_MEMORY,
        };
        let report = dedup.run(&inputs, &out, &mut go_on).unwrap();
        let found = read(out.path());
        assert_eq!(found, naive_dedup(&records, keep), "{keep:?}");
        assert_eq!((report.records, report.kept), (56_000, found.len() as u64));
        assert!(found.len() > 500, "{}", found.len());
    }
    assert_eq!(folder.names(), ["in0", "in1", "out"]);
}

#[test]
fn faults_name_the_record_and_leave_nothing() {
    let folder = Folder::new();
    let mut records = with_duplicates(5);
    let mut bytes = records[3].to_bytes();
    bytes[30] = 3;
    records[3] = MarlinRecord::from_bytes(&bytes);
    let inputs = folder.inputs(&[&records[..1], &records[1..]]);
    let dedup = Dedup {
        keep: Keep::First,
        memory: Dedup::MIN_MEMORY,
    };
    let out = Output::new(folder.path("out"));
    let error = dedup.run(&inputs, &out, &mut go_on).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{}: record 2 at byte 64", folder.path("in1").display())
    );
    assert_eq!(folder.names(), ["in0", "in1"]);
    // What was cancelled is left to be gone on with; what then fails is not.
    let cancelled = dedup.run(&inputs, &out, &mut |_, _| ControlFlow::Break(()));
    assert!(matches!(cancelled, Err(FilesError::Cancelled)));
    assert_eq!(folder.names(), [".out.chess-records", "in0", "in1"]);
    assert!(dedup.run(&inputs, &out, &mut go_on).is_err());
    assert_eq!(folder.names(), ["in0", "in1"]);
    let memory = Dedup { memory: 9, ..dedup };
    assert_eq!(
        memory
            .run(&inputs, &out, &mut go_on)
            .unwrap_err()
            .to_string(),
        "9 bytes of memory are too few for 5 records, expected at least 8388608"
    );
}

#[test]
fn a_split_keeps_games_whole() {
    let lens: Vec<u16> = (0..500).map(|number| 2 + number * 7 % 40).collect();
    let records = games(&lens);
    let folder = Folder::new();
    // The second file begins with a game of its own.
    let cut = lens[..200].iter().map(|&len| usize::from(len)).sum();
    let inputs = folder.inputs(&[&records[..cut], &records[cut..]]);
    let parts = ["train", "validation", "test"].map(|name| Output::new(folder.path(name)));
    let shares = parts.clone().into_iter().zip([0.8, 0.15, 0.05]);
    let split = SplitFiles { seed: 1, by: None };
    let report = split
        .run(&inputs, &shares.collect::<Vec<_>>(), &mut go_on)
        .unwrap();
    assert_eq!(report.by, SplitBy::Game);
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for (part, (report, expected)) in parts.iter().zip(report.parts.iter().zip([400, 75, 25])) {
        let records = read(part.path());
        // The score is the game's number.
        let mut numbers: Vec<i16> = records.iter().map(MarlinRecord::score_cp).collect();
        assert!(numbers.is_sorted(), "the order is kept");
        numbers.dedup();
        assert_eq!((report.games, numbers.len()), (expected, expected as usize));
        assert_eq!(report.records, records.len() as u64);
        assert!(numbers.into_iter().all(|number| seen.insert(number)));
        all.extend(records);
    }
    all.sort_by_key(|record| {
        (
            record.score_cp(),
            record.fullmove_number(),
            record.side_and_en_passant(),
        )
    });
    assert_eq!(all, records);
}

#[test]
fn files_without_games_are_split_by_position() {
    let records = with_duplicates(20_000);
    let folder = Folder::new();
    let inputs = folder.inputs(&[&records]);
    let parts = ["a", "b"].map(|name| (Output::new(folder.path(name)), 1.0));
    let by_game = SplitFiles {
        by: Some(SplitBy::Game),
        ..SplitFiles::default()
    };
    assert!(matches!(
        by_game.run(&inputs, &parts, &mut go_on),
        Err(SplitFilesError::NotByGame)
    ));
    let report = SplitFiles::default()
        .run(&inputs, &parts, &mut go_on)
        .unwrap();
    assert_eq!(report.by, SplitBy::Position);
    let keys =
        |name| -> HashSet<PositionKey> { read(&folder.path(name)).iter().map(key).collect() };
    assert!(keys("a").is_disjoint(&keys("b")));
    let counts = [0, 1].map(|part| report.parts[part].records);
    assert_eq!(counts[0] + counts[1], 20_000);
    assert!(counts[0] > 8_000 && counts[1] > 8_000, "{counts:?}");
}

#[test]
fn the_interleaved_file_is_the_interleaved_dataset() {
    let folder = Folder::new();
    let golden = golden();
    let sources = [&golden[..100], &golden[100..500], &golden[500..520]];
    let inputs = folder.inputs(&sources);
    for weights in [None, Some([3, 2, 1]), Some([0, 1, 0])] {
        let out = Output::replacing(folder.path("out"));
        let weights = weights.as_ref().map(|weights| &weights[..]);
        let written = interleave(&inputs, weights, &out, &mut go_on).unwrap();
        let lens = [100, 400, 20];
        let named = sources.iter().enumerate().map(|(number, records)| {
            let bytes: Vec<u8> = records
                .iter()
                .flat_map(|record| record.to_bytes())
                .collect();
            let view = MarlinView::new(bytes).unwrap();
            (format!("{number}"), view, weights.unwrap_or(&lens)[number])
        });
        let dataset = Interleaved::new(named).unwrap();
        let mut batch = Vec::new();
        let all: Vec<u64> = (0..dataset.len()).collect();
        dataset.gather(&all, &mut batch).unwrap();
        let file: Vec<_> = read(out.path())
            .iter()
            .map(|r| r.decode().unwrap())
            .collect();
        assert_eq!(file, batch);
        assert_eq!(written.iter().sum::<u64>(), dataset.len());
        if weights.is_none() {
            assert_eq!(written, lens);
        }
    }
}

#[test]
fn outputs_among_the_inputs_are_refused_by_every_operation() {
    let folder = Folder::new();
    let records = with_duplicates(10);
    let inputs = folder.inputs(&[&records]);
    let input = || Output::replacing(folder.path("in0"));
    let shuffle = Shuffle {
        seed: 0,
        memory: 1 << 30,
    };
    let dedup = Dedup {
        keep: Keep::First,
        memory: 1 << 30,
    };
    let parts = [(Output::new(folder.path("a")), 1.0), (input(), 1.0)];
    let errors = [
        shuffle
            .run(&inputs, &input(), &mut go_on)
            .unwrap_err()
            .to_string(),
        dedup
            .run(&inputs, &input(), &mut go_on)
            .unwrap_err()
            .to_string(),
        interleave(&inputs, None, &input(), &mut go_on)
            .unwrap_err()
            .to_string(),
        SplitFiles::default()
            .run(&inputs, &parts, &mut go_on)
            .unwrap_err()
            .to_string(),
    ];
    for error in errors {
        assert!(error.contains(": is also an input, as "), "{error}");
    }
    assert_eq!(read(&folder.path("in0")), records);
    assert_eq!(folder.names(), ["in0"]);
}
