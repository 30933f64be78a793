//! The stages of the corpus pipeline against the reference's files.
#![cfg(feature = "corpus")]
#![allow(clippy::unwrap_used, missing_docs)]

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chess_tokens::corpus::sql::SqlFormat;
use chess_tokens::corpus::stages::{CorpusPack, EloBins, Filter, StageInput, Stages, ToUci};
use chess_tokens::corpus::stages::{StageDone, StageError, StageProgress};
use chess_tokens::corpus::{Counts, Manifest, Month, Session, SessionOptions};
use chess_tokens::tokenizer::UciTokenizer;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::util::display::array_value_to_string;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

fn session(threads: usize) -> Session {
    // Batches so small that there are several, and that threads share them out.
    Session::new(&SessionOptions::new().threads(threads).batch_rows(100)).unwrap()
}

fn input(path: &Path) -> [StageInput; 1] {
    [StageInput::of_file(path).unwrap()]
}

fn month(text: &str) -> Month {
    text.parse().unwrap()
}

fn on(_: &StageProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// All rows of a file, in its order.
fn table(path: &Path) -> RecordBatch {
    let session = session(1);
    let ctx = session.ordered();
    session
        .register_files(&ctx, "t", &[path.to_path_buf()])
        .unwrap();
    let rows = session.query(&ctx, "SELECT * FROM t").unwrap();
    let schema = rows.schema();
    let batches: Vec<_> = rows.map(Result::unwrap).collect();
    concat_batches(&schema, &batches).unwrap()
}

fn column(table: &RecordBatch, name: &str) -> Vec<String> {
    let column = table.column_by_name(name).unwrap();
    (0..table.num_rows())
        .map(|row| array_value_to_string(column, row).unwrap())
        .collect()
}

fn to_uci(threads: usize, stage: &ToUci, raw: &Path, out: &Path) -> StageDone {
    let session = session(threads);
    let may = month("2025-05");
    stage
        .month(Stages::new(&session), may, &input(raw), out, &mut on)
        .unwrap()
}

const ALL: ToUci = ToUci {
    min_plies: 0,
    max_plies: 1000,
};

#[test]
fn uci_gives_the_rows_of_the_reference() {
    let folder = tempfile::tempdir().unwrap();
    let done = to_uci(2, &ALL, &golden("corpus/raw.parquet"), folder.path());
    assert_eq!(done.folder, folder.path().join("year=2025/month=05"));
    let (found, expected) = (
        table(&done.folder.join("games.parquet")),
        table(&golden("uci.parquet")),
    );
    assert_eq!(found.schema().fields(), expected.schema().fields());
    assert_eq!(found, expected);
    assert_eq!(found.num_rows(), 186);
    let counts = Counts {
        read: 186,
        kept: 186,
        ..Counts::default()
    };
    assert_eq!(done.manifest.counts, counts);
}

#[test]
fn uci_makes_of_nasty_movetext_what_the_reference_does() {
    let folder = tempfile::tempdir().unwrap();
    let done = to_uci(
        3,
        &ToUci::default(),
        &golden("corpus/raw-nasty.parquet"),
        folder.path(),
    );
    let lines = fs::read_to_string(golden("corpus/raw-nasty.parquet.expected.jsonl")).unwrap();
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let mut counts = Counts::default();
    let (mut ids, mut games) = (Vec::new(), Vec::new());
    for line in lines {
        counts.read += 1;
        match line["dropped"].as_str() {
            Some(reason) => counts.leave_out(reason, 1),
            None => {
                counts.kept += 1;
                ids.push(line["game_id"].to_string());
                games.push(line["uci"].as_str().unwrap().to_owned());
            }
        }
    }
    assert_eq!(done.manifest.counts, counts);
    let found = table(&done.folder.join("games.parquet"));
    assert_eq!(column(&found, "game_id"), ids);
    assert_eq!(column(&found, "uci"), games);
}

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

/// The filter by hand.
fn passes(row: &[String; 5]) -> bool {
    let elo = |text: &str| text.parse::<i32>().is_ok_and(|elo| elo >= 1500);
    let base = row[2]
        .split('+')
        .next()
        .and_then(|base| base.parse::<i64>().ok());
    elo(&row[0])
        && elo(&row[1])
        && base.is_some_and(|base| base >= 180)
        && ["Normal", "Time forfeit"].contains(&&*row[3])
        && !row[4].to_lowercase().contains("variant")
}

#[test]
fn the_filter_keeps_what_its_conditions_say_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let raw = table(&golden("corpus/raw.parquet"));
    let columns = [
        "WhiteElo",
        "BlackElo",
        "TimeControl",
        "Termination",
        "Event",
        "Site",
    ];
    let columns = columns.map(|name| column(&raw, name));
    let row = |row: usize| [0, 1, 2, 3, 4].map(|index: usize| columns[index][row].clone());
    let expected: Vec<_> = (0..raw.num_rows())
        .filter(|&index| passes(&row(index)))
        .map(|index| columns[5][index].clone())
        .collect();
    assert!((20..150).contains(&expected.len()), "{}", expected.len());
    let session = session(2);
    let filter = Filter {
        min_elo: 1500,
        ..Filter::default()
    };
    let out = folder.path().join("whole.parquet");
    let counts = filter
        .run(&session, &[golden("corpus/raw.parquet")], &out, None)
        .unwrap();
    assert_eq!(column(&table(&out), "Site"), expected);
    assert_eq!(table(&out).schema().fields(), raw.schema().fields());
    assert_eq!((counts.read, counts.kept), (186, expected.len() as u64));
    let left_out: u64 = counts.left_out.values().sum();
    assert_eq!(left_out + counts.kept, counts.read);
    // The first ones, whichever files they are in.
    let out = folder.path().join("limited.parquet");
    let files = [golden("corpus/raw.parquet"), golden("corpus/raw.parquet")];
    let limit = expected.len() - 3;
    let counts = filter
        .run(&session, &files[..1], &out, Some(limit as u64))
        .unwrap();
    assert_eq!(column(&table(&out), "Site"), expected[..limit]);
    assert_eq!((counts.kept, counts.left_out["limit"]), (limit as u64, 3));
}

#[test]
fn files_come_in_the_order_of_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let session = session(4);
    let everything = Filter {
        min_elo: 0,
        min_base_seconds: 0,
        ..Filter::default()
    };
    let mut parts = Vec::new();
    for part in 0..12 {
        let path = folder.path().join(format!("part [{part:05}]*?.parquet"));
        let filter = Filter {
            min_elo: 500 + 150 * part,
            ..everything.clone()
        };
        filter
            .run(&session, &[golden("corpus/raw.parquet")], &path, None)
            .unwrap();
        parts.push(path);
    }
    let expected: Vec<_> = parts
        .iter()
        .flat_map(|part| column(&table(part), "Site"))
        .collect();
    let out = folder.path().join("joined.parquet");
    for limit in [expected.len(), expected.len() / 2, 1] {
        everything
            .run(&session, &parts, &out, Some(limit as u64))
            .unwrap();
        assert_eq!(column(&table(&out), "Site"), expected[..limit]);
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

#[test]
fn packs_hold_whole_months_and_the_rest_of_that_of_validation() {
    let folder = tempfile::tempdir().unwrap();
    let session = session(2);
    let games = input(&golden("uci.parquet"));
    let tokenizer: Arc<dyn chess_tokens::Tokenizer> = Arc::new(UciTokenizer::new());
    let plan = CorpusPack::default()
        .train(games.clone())
        .val(games.clone(), 50, true)
        .unwrap();
    let done = plan
        .run(Stages::new(&session), &tokenizer, folder.path(), &mut on)
        .unwrap();
    let kept = |pack: &str| done.manifest.notes[pack]["kept"].as_u64().unwrap();
    assert_eq!([kept("train"), kept("val")], [186 + 136, 50]);
    assert_eq!(done.manifest.counts.kept, 2 * 186);
    done.manifest.verify(folder.path()).unwrap();
    let source = |pack: &str| {
        let meta = fs::read(folder.path().join(pack).join("meta.json")).unwrap();
        serde_json::from_slice::<serde_json::Value>(&meta).unwrap()["source"].clone()
    };
    assert_eq!(
        source("train"),
        "golden/uci.parquet+golden/uci.parquet[50:186]"
    );
    assert_eq!(source("val"), "golden/uci.parquet[0:50]");
    // The tokens of a whole file are those of the reference's pack.
    let whole = folder.path().join("whole");
    let plan = CorpusPack::default().val(games, 0, true).unwrap();
    assert!(plan.train.is_empty());
    plan.run(Stages::new(&session), &tokenizer, &whole, &mut on)
        .unwrap();
    for name in ["tokens.npy", "starts.npy"] {
        let reference = golden("uci").join(name);
        assert!(fs::read(whole.join("val").join(name)).unwrap() == fs::read(reference).unwrap());
    }
    let tokens =
        |pack: &str| fs::read(folder.path().join(pack).join("tokens.npy")).unwrap()[128..].to_vec();
    let all = fs::read(golden("uci").join("tokens.npy")).unwrap()[128..].to_vec();
    let val = tokens("val");
    assert!(all.starts_with(&val));
    assert!(tokens("train") == [&all[..], &all[val.len()..]].concat());
}

/// The games of the reference as PGN, plain, compressed and in a zip.
fn pgn_files(folder: &Path) -> [PathBuf; 3] {
    let pgn = golden("games.pgn");
    let zipped = folder.join("games.zip");
    let mut zip = zip::ZipWriter::new(fs::File::create(&zipped).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    for name in ["README.txt", "__MACOSX/._games.pgn", "games.pgn"] {
        zip.start_file(name, options).unwrap();
        let text = if name == "games.pgn" {
            fs::read(&pgn).unwrap()
        } else {
            b"no game".to_vec()
        };
        std::io::Write::write_all(&mut zip, &text).unwrap();
    }
    zip.finish().unwrap();
    let compressed = folder.join("games.bin");
    fs::write(
        &compressed,
        zstd::encode_all(&*fs::read(&pgn).unwrap(), 1).unwrap(),
    )
    .unwrap();
    [pgn, compressed, zipped]
}

#[test]
fn pgn_gives_the_rows_of_the_reference_too() {
    let folder = tempfile::tempdir().unwrap();
    let expected = table(&golden("uci.parquet"));
    for (number, path) in pgn_files(folder.path()).iter().enumerate() {
        let done = to_uci(2, &ALL, path, &folder.path().join(number.to_string()));
        let found = table(&done.folder.join("games.parquet"));
        for (at, field) in expected.schema().fields().iter().enumerate() {
            let name = field.name();
            assert_eq!(
                column(&found, name),
                column(&expected, name),
                "{name} of {}",
                path.display()
            );
            assert_eq!(found.schema().field(at), &**field);
        }
    }
}

#[test]
fn pgn_that_is_no_usual_game() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    let text = "\
[Event \"E\"]\n[Site \"Oslo\"]\n[Date \"1851.06.21\"]\n[Result \"1-0\"]\n[WhiteElo \"?\"]\n\n1. e4 {a\ncomment} e5\n; a line\n2. Nf3 1-0\n\n\
[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n[Result \"1-0\"]\n\n1. O-O 1-0\n\n\
[Variant \"Atomic\"]\n[Result \"0-1\"]\n\n1. e4 0-1\n\n\
[Result \"*\"]\n[UTCDate \"2025.??.??\"]\n[WhiteElo \"2800\"]\n[BlackElo \"2700\"]\n\n1. d4 1/2-1/2\n\n\
[Result \"*\"]\n\n1. d4 *\n\n";
    fs::write(&path, text).unwrap();
    let session = session(1);
    let out = folder.path().join("out");
    let done = ALL
        .files(
            Stages::new(&session),
            "masters",
            &input(&path),
            &out,
            &mut on,
        )
        .unwrap();
    assert_eq!(done.manifest.counts.left_out["illegal"], 3);
    let found = table(&out.join("games.parquet"));
    let columns = |name| column(&found, name);
    assert_eq!(columns("uci"), ["e2e4 e7e5 g1f3", "d2d4"]);
    assert_eq!(columns("result"), ["1-0", "1/2-1/2"]);
    assert_eq!(columns("utc_date"), ["1851-06-21", ""]);
    assert_eq!(columns("white_elo"), ["", "2800"]);
    assert_eq!(columns("month"), ["masters", "masters"]);
    // Two games in one zip that are no one PGN, and Parquet among PGN.
    let zipped = folder.path().join("two.zip");
    let mut zip = zip::ZipWriter::new(fs::File::create(&zipped).unwrap());
    for name in ["a.pgn", "b.PGN"] {
        zip.start_file(name, zip::write::SimpleFileOptions::default())
            .unwrap();
    }
    zip.finish().unwrap();
    let error = |inputs: &[StageInput]| {
        let out = tempfile::tempdir().unwrap();
        let out = out.path().join("none");
        let run = ALL.files(Stages::new(&session), "x", inputs, &out, &mut on);
        let error: Box<dyn std::error::Error> = run.unwrap_err().into();
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(error) = source {
            text += &format!(": {error}");
            source = error.source();
        }
        text
    };
    let said = error(&input(&zipped));
    assert!(
        said.contains("two.zip: holds 2 files of PGN, expected one"),
        "{said}"
    );
    let mixed = [input(&path), input(&golden("corpus/raw.parquet"))].concat();
    let said = error(&mixed);
    assert!(
        said.ends_with("raw.parquet: is parquet, and there is PGN too; expected files of one kind"),
        "{said}"
    );
}

#[test]
fn what_is_done_is_left_and_other_settings_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (session, raw, may) = (
        session(1),
        input(&golden("corpus/raw.parquet")),
        month("2025-05"),
    );
    let (stages, out) = (Stages::new(&session), folder.path());
    let run = |stage: &ToUci, stages| stage.month(stages, may, &raw, out, &mut on);
    assert!(!run(&ALL, stages).unwrap().was_finished);
    let games = may.games(out);
    let written = fs::metadata(&games).unwrap().modified().unwrap();
    assert!(run(&ALL, stages).unwrap().was_finished);
    assert_eq!(fs::metadata(&games).unwrap().modified().unwrap(), written);
    let other = ToUci::default();
    let error = run(&other, stages).unwrap_err();
    assert_eq!(error.to_string(), "the folder cannot be used");
    let done = run(&other, stages.overwrite(true)).unwrap();
    assert!(!done.was_finished);
    done.manifest.verify(&done.folder).unwrap();
    assert_eq!(Manifest::finished(&done.folder).unwrap(), done.manifest);
}

#[test]
fn a_stage_that_is_stopped_leaves_nothing_that_looks_done() {
    let folder = tempfile::tempdir().unwrap();
    let (session, raw, may) = (
        session(2),
        input(&golden("corpus/raw.parquet")),
        month("2025-05"),
    );
    let mut left = 2;
    let mut stop = |_: &StageProgress| {
        left -= 1;
        if left == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let run = ALL.month(Stages::new(&session), may, &raw, folder.path(), &mut stop);
    assert!(matches!(run, Err(StageError::Cancelled)));
    assert!(!may.games(folder.path()).exists());
    let again = ALL
        .month(Stages::new(&session), may, &raw, folder.path(), &mut on)
        .unwrap();
    assert_eq!(again.manifest.counts.kept, 186);
}

#[test]
fn games_that_are_all_left_out_and_files_that_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let (session, may) = (session(2), month("2025-05"));
    let stages = Stages::new(&session);
    let long = ToUci {
        min_plies: 2000,
        max_plies: 3000,
    };
    let raw = input(&golden("corpus/raw.parquet"));
    let error = long
        .month(stages, may, &raw, folder.path(), &mut on)
        .unwrap_err();
    let expected = format!(
        "{}: no game is left of 186",
        may.folder(folder.path()).display()
    );
    assert_eq!(error.to_string(), expected);
    let error = ALL.month(
        stages,
        may,
        &input(&golden("uci.parquet")),
        &folder.path().join("2"),
        &mut on,
    );
    let source = std::error::Error::source(&error.unwrap_err())
        .unwrap()
        .to_string();
    assert!(
        source.ends_with("uci.parquet: there is no column Site"),
        "{source}"
    );
    let text = folder.path().join("text.parquet");
    fs::write(&text, "PAR1, and no more").unwrap();
    let error = ALL
        .month(
            stages,
            may,
            &input(&text),
            &folder.path().join("3"),
            &mut on,
        )
        .unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(
        source,
        format!("{}: cannot be read as parquet", text.display())
    );
}

#[test]
fn movetext_is_converted_once() {
    let session = session(4);
    let ctx = session.ordered();
    session
        .register_games(&ctx, "games", &[golden("corpus/raw.parquet")])
        .unwrap();
    let sql = format!("EXPLAIN {}", ALL.sql("2025-05"));
    let mut plan = Vec::new();
    let rows = session.select(&ctx, &sql).unwrap();
    rows.write_to(SqlFormat::Json, &mut plan).unwrap();
    let plan = String::from_utf8(plan).unwrap();
    let physical = plan.split("physical_plan").nth(1).unwrap();
    assert_eq!(physical.matches("uci_moves(").count(), 1, "{physical}");
    assert_eq!(physical.matches("Repartition").count(), 0, "{physical}");
}

/// An error and what it came from.
fn chain(error: &dyn std::error::Error) -> String {
    let source = error.source().map(|source| format!(": {}", chain(source)));
    error.to_string() + &source.unwrap_or_default()
}

#[test]
fn no_stage_writes_where_it_reads() {
    let folder = tempfile::tempdir().unwrap();
    let session = session(1);
    let stages = Stages::new(&session).overwrite(true);
    let may = month("2025-05");
    let raw = folder.path().join("year=2025/month=05/games.parquet");
    fs::create_dir_all(raw.parent().unwrap()).unwrap();
    fs::copy(golden("corpus/raw.parquet"), &raw).unwrap();
    let before = fs::read(&raw).unwrap();
    let inputs = StageInput::of_raw_month(folder.path(), may).unwrap();
    let everything = Filter {
        min_elo: 0,
        ..Filter::default()
    };
    let (out, here) = (folder.path(), raw.parent().unwrap());
    let results = [
        everything.month(stages, may, &inputs, None, out, &mut on),
        ALL.month(stages, may, &inputs, out, &mut on),
        ALL.files(stages, "here", &inputs, here, &mut on),
        ALL.files(stages, "above", &inputs, out, &mut on),
        EloBins::default().run(stages, &inputs, here, &mut on),
    ];
    for result in results {
        let error = result.unwrap_err().to_string();
        let start = format!("{}: lies in the folder ", raw.display());
        assert!(error.starts_with(&start), "{error}");
        assert!(error.ends_with(" that is to be written"), "{error}");
    }
    assert!(fs::read(&raw).unwrap() == before);
    assert_eq!(fs::read_dir(here).unwrap().count(), 1);
}

#[test]
fn a_damaged_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let session = session(2);
    let damaged = folder.path().join("damaged.parquet");
    let mut bytes = fs::read(golden("corpus/raw.parquet")).unwrap();
    bytes[20_000..20_064].fill(0xff);
    fs::write(&damaged, bytes).unwrap();
    let inputs = [golden("corpus/raw.parquet"), damaged.clone()];
    let inputs = inputs.map(|path| StageInput::of_file(path).unwrap());
    let may = month("2025-05");
    let out = folder.path().join("uci");
    let error = ALL.month(Stages::new(&session), may, &inputs, &out, &mut on);
    let error = chain(&error.unwrap_err());
    let start = format!(
        "the games cannot be read: {}: cannot be read as parquet: ",
        damaged.display()
    );
    assert!(error.starts_with(&start), "{error}");
}

#[test]
fn a_limit_leaves_something() {
    let folder = tempfile::tempdir().unwrap();
    let session = session(1);
    let raw = input(&golden("corpus/raw.parquet"));
    let (stages, may) = (Stages::new(&session), month("2025-05"));
    let filter = Filter::default();
    let none = filter.month(stages, may, &raw, Some(0), folder.path(), &mut on);
    let expected = "the settings make no sense: limit is 0, expected at least 1 game";
    assert_eq!(chain(&none.unwrap_err()), expected);
    let part = folder.path().join("part.parquet");
    let none = filter.run(&session, &[golden("corpus/raw.parquet")], &part, Some(0));
    assert_eq!(chain(&none.unwrap_err()), expected);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn what_failed_before_anything_was_finished_is_no_obstacle() {
    let folder = tempfile::tempdir().unwrap();
    let session = session(1);
    let raw = input(&golden("corpus/raw.parquet"));
    let (stages, may) = (Stages::new(&session), month("2025-05"));
    let run = |min_elo| {
        let filter = Filter {
            min_elo,
            ..Filter::default()
        };
        filter.month(stages, may, &raw, None, folder.path(), &mut on)
    };
    let error = run(4000).unwrap_err().to_string();
    assert!(
        error.ends_with("month=05: no game is left of 186"),
        "{error}"
    );
    assert!(!run(1800).unwrap().was_finished);
    assert!(run(1801).is_err());
}

#[test]
fn months_that_do_not_lie_here() {
    let folder = tempfile::tempdir().unwrap();
    let of = |text| StageInput::of_raw_month(folder.path(), month(text)).unwrap_err();
    let may = folder.path().join("year=2025/month=05");
    let expected = format!("{}: cannot be read, made or removed", may.display());
    assert_eq!(of("2025-05").to_string(), expected);
    fs::create_dir_all(&may).unwrap();
    fs::write(may.join("games.pgn"), "").unwrap();
    let expected = format!("{}: has no Parquet files", may.display());
    assert_eq!(of("2025-05").to_string(), expected);
}

#[test]
fn other_compressed_files_are_no_pgn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn.gz");
    fs::write(&path, b"\x1f\x8b\x08 and so on").unwrap();
    let session = session(1);
    let out = folder.path().join("out");
    let run = ALL.files(Stages::new(&session), "x", &input(&path), &out, &mut on);
    let error = chain(&run.unwrap_err());
    assert!(
        error.contains("games.pgn.gz: is compressed by gzip, expected PGN"),
        "{error}"
    );
}
