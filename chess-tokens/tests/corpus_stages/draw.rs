//! Games drawn by strength, and what no stage depends on: threads and batches.

use std::fs;

use chess_tokens::corpus::stages::{EloBins, Filter, StageInput, Stages};
use chess_tokens::corpus::{Session, SessionOptions};

use crate::support::{ALL, column, golden, input, month, on, session, table};

#[test]
fn threads_and_batches_change_no_byte() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = |threads: usize, batch_rows: usize| {
        let out = folder.path().join(format!("{threads}-{batch_rows}"));
        let options = SessionOptions::new()
            .threads(threads)
            .batch_rows(batch_rows);
        let session = Session::new(&options).unwrap();
        let stages = Stages::new(&session);
        let raw = input(&golden("corpus/raw.parquet"));
        let (uci, bins) = (out.join("uci"), out.join("bins"));
        ALL.month(stages, month("2025-05"), &raw, &uci, &mut on)
            .unwrap();
        let games = StageInput::of_month(&uci, month("2025-05")).unwrap();
        let draw = EloBins {
            min_bin: 600,
            max_bin: 2600,
            n_per_bin: 5,
            ..EloBins::default()
        };
        draw.run(stages, &games, &bins, &mut on).unwrap();
        let filter = Filter {
            min_elo: 1000,
            ..Filter::default()
        };
        let filtered = out.join("raw.parquet");
        let raw = golden("corpus/raw.parquet");
        filter
            .run(&session, &[raw.clone(), raw], &filtered, Some(150))
            .unwrap();
        let games = month("2025-05").games(&uci);
        [games, bins.join("games.parquet"), filtered].map(|path| fs::read(path).unwrap())
    };
    let one = bytes(1, 8192);
    for (threads, batch_rows) in [(4, 8192), (1, 7), (4, 64)] {
        assert!(
            bytes(threads, batch_rows) == one,
            "{threads} threads, {batch_rows} rows"
        );
    }
}

#[test]
fn elo_bins_draw_the_smallest_hashes() {
    use chess_tokens::corpus::functions::sample_hash;
    let folder = tempfile::tempdir().unwrap();
    let session = session(3);
    let all = table(&golden("uci.parquet"));
    let number = |name: &str| -> Vec<i64> {
        column(&all, name)
            .iter()
            .map(|text| text.parse().unwrap())
            .collect()
    };
    let (ids, white, black) = (number("game_id"), number("white_elo"), number("black_elo"));
    let draw = EloBins {
        bin_width: 200,
        min_bin: 1000,
        max_bin: 2200,
        n_per_bin: 9,
        seed: 77,
    };
    let mut expected = Vec::new();
    let mut bins = Vec::new();
    for bin in (1000..=2200).step_by(200) {
        let in_bin = |&row: &usize| (white[row] + black[row]) / 2 / 200 * 200 == bin;
        let mut games: Vec<_> = (0..ids.len())
            .filter(in_bin)
            .map(|row| (sample_hash(77, ids[row]), ids[row]))
            .collect();
        games.sort_unstable();
        bins.push((bin as u32, games.len() as u64, games.len().min(9) as u64));
        expected.extend(games.iter().take(9).map(|(_, id)| id.to_string()));
    }
    let out = folder.path().join("bins");
    let done = draw
        .run(
            Stages::new(&session),
            &input(&golden("uci.parquet")),
            &out,
            &mut on,
        )
        .unwrap();
    let drawn = table(&out.join("games.parquet"));
    assert_eq!(column(&drawn, "game_id"), expected);
    assert_eq!(drawn.schema().fields(), all.schema().fields());
    let found = EloBins::bins(&done.manifest);
    let found: Vec<_> = found
        .iter()
        .map(|bin| (bin.bin, bin.games, bin.drawn))
        .collect();
    assert_eq!(found, bins);
    assert!(bins.iter().any(|bin| bin.1 > 9) && bins.iter().any(|bin| bin.1 < 9));
    let counts = done.manifest.counts;
    assert_eq!((counts.read, counts.kept), (186, expected.len() as u64));
    assert_eq!(counts.left_out.values().sum::<u64>() + counts.kept, 186);
}

#[test]
fn elo_bins_spill() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("many.parquet");
    let seconds = "SELECT value AS game_id, repeat('e2e4 ', 200) AS uci, CAST(200 AS SMALLINT) AS n_plies, \
        CAST(1800 + value % 100 AS SMALLINT) AS white_elo, CAST(1900 AS SMALLINT) AS black_elo, \
        '1-0' AS result, '180+0' AS time_control, CAST('2025-05-01' AS DATE) AS utc_date, 'A00' AS eco, \
        '2025-05' AS month FROM generate_series(1, 60000)";
    let plenty = session(2);
    let ctx = plenty.ordered();
    let rows = format!(
        "COPY ({seconds}) TO '{}' STORED AS PARQUET",
        games.display()
    );
    plenty
        .query(&ctx, &rows)
        .unwrap()
        .for_each(|batch| drop(batch.unwrap()));
    let draw = EloBins {
        min_bin: 1800,
        max_bin: 1900,
        ..EloBins::default()
    };
    let drawn = |memory: u64| {
        let spill = folder.path().join(format!("spill-{memory}"));
        let options = SessionOptions::new()
            .threads(2)
            .memory_bytes(memory)
            .spill(Some(spill));
        let out = folder.path().join(format!("{memory}"));
        let session = Session::new(&options).unwrap();
        draw.run(Stages::new(&session), &input(&games), &out, &mut on)
            .unwrap();
        fs::read(out.join("games.parquet")).unwrap()
    };
    // The moves alone are 60 MB.
    assert!(drawn(48 << 20) == drawn(4 << 30));
}
