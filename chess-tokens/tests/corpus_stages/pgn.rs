//! Games from PGN.

use std::fs;
use std::path::{Path, PathBuf};

use chess_tokens::corpus::stages::{StageInput, Stages};

use crate::support::{ALL, chain, column, golden, input, on, session, table, to_uci};

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
