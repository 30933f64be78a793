//! The folders of stages: what is done, refused, stopped or cannot be read.

use std::fs;
use std::ops::ControlFlow;

use chess_tokens::corpus::Manifest;
use chess_tokens::corpus::stages::{
    EloBins, Filter, StageError, StageInput, StageProgress, Stages, ToUci,
};

use crate::support::{ALL, chain, golden, input, month, on, session};

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
