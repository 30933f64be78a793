//! Mistakes that are named.

use std::fs;

use chess_records::{Board, Color};

use crate::support::{Folder, RECORDS, fail};

#[test]
fn scores_that_cannot_be_right_are_refused() {
    let folder = Folder::new();
    folder.write_changed("mover.marlin", |labelled| {
        if labelled.side_to_move() == Color::Black {
            labelled.label.score = labelled.label.score.map(|score| score.flipped());
        }
    });
    let (wrong, some, out) = (
        folder.text("mover.marlin"),
        folder.text("some.marlin"),
        folder.text("run"),
    );
    let error = fail(&["train", "--data", &wrong, "--out", &out]);
    let start = "chess-nnue: no eval scale fits the training set";
    assert!(error.starts_with(start), "{error}");
    assert!(
        error.ends_with("samples; are they from White's side?\n"),
        "{error}"
    );
    let scale = |data, scale| {
        fail(&[
            "train",
            "--data",
            data,
            "--out",
            &out,
            "--eval-scale",
            scale,
        ])
    };
    let error = scale(&wrong, "115");
    assert!(
        error.starts_with("chess-nnue: the scores of the training set cannot be right"),
        "{error}"
    );
    assert!(error.ends_with("are they from White's side?\n"), "{error}");
    let error = scale(&some, "400");
    assert!(
        error.contains(": eval scale 400 is asked for, 1"),
        "{error}"
    );
    assert!(
        error.contains(" fits the scores and results of "),
        "{error}"
    );
    assert!(!folder.path("run").exists(), "nothing was begun");
}

#[test]
fn mistakes_are_named() {
    let folder = Folder::new();
    let (some, out) = (folder.text("some.marlin"), folder.text("run"));
    let config = folder.text("run.toml");
    let of_config = |text: &str| {
        fs::write(folder.path("run.toml"), text).unwrap();
        fail(&["train", &config])
    };
    let error = of_config("out = \"run\"\n\n[data]\nfiles = [\"some.marlin\"]\n");
    let start = format!("chess-nnue: {config} line 4: unknown field `files`, expected one of ");
    assert!(error.starts_with(&start), "{error}");
    let error = of_config("out = \"run\"\n[training]\nepoch = 3\n");
    let start = "chess-nnue: [training] and [architecture]: unknown field `epoch`, expected one of";
    assert!(error.starts_with(start), "{error}");
    let error = of_config("[data]\ntraining = [\"some.marlin\"]\n");
    assert_eq!(
        error,
        "chess-nnue: no folder for the run: name it by --out or out\n"
    );
    let error = of_config("out = \"run\"\n[data]\ntraining = [\"none.marlin\"]\n");
    let missing = folder.text("none.marlin");
    assert!(
        error.starts_with(&format!("chess-nnue: cannot read {missing}: ")),
        "{error}"
    );
    let train = |arguments: &[&str]| {
        fail(&[&["train", "--out", &out, "--data", &some][..], arguments].concat())
    };
    let error = train(&["--held-out", &some]);
    assert_eq!(error, format!("chess-nnue: {some}: named twice\n"));
    let error = train(&["--min-men", "33"]);
    let end = format!("{some}: the filter leaves nothing of {RECORDS} samples\n");
    assert!(error.ends_with(&end), "{error}");
    let error = train(&["--set", "epochs"]);
    assert!(error.contains("expected KEY=VALUE"), "{error}");
    let error = train(&["--hidden", "17"]);
    assert!(
        error.contains("hidden size 17, expected a multiple of 16"),
        "{error}"
    );
    fs::copy(&some, folder.path("some.bin")).unwrap();
    let bin = folder.text("some.bin");
    let error = fail(&["train", "--out", &out, "--data", &bin]);
    assert!(
        error.ends_with("the extension does not tell the format, name it\n"),
        "{error}"
    );
    let error = fail(&[
        "train",
        "--out",
        &out,
        "--data",
        &bin,
        "--format=marlin-move",
    ]);
    assert!(
        error.contains("hold out a file, or records by --held-out-by records"),
        "{error}"
    );
    let error = fail(&["train", "--out", &out, "--data", &bin, "--format=zdat"]);
    assert!(
        error.contains("scores of zdat files have no unit"),
        "{error}"
    );
    let error = fail(&["resume", &out]);
    assert!(
        error.ends_with("holds no run, resolved.toml is not there\n"),
        "{error}"
    );
    assert!(!folder.path("run").exists(), "nothing was begun");
    fs::create_dir(folder.path("run")).unwrap();
    fs::write(folder.path("run/report.md"), "mine").unwrap();
    let error = train(&[]);
    assert!(
        error.ends_with("is not empty, a run needs a folder of its own\n"),
        "{error}"
    );
    assert_eq!(folder.read_text("run/report.md"), "mine");
}
