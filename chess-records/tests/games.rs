//! Whole games: movetext as people export it, and rows of UCI moves.
#![cfg(all(feature = "parquet", feature = "pgn"))]
#![allow(clippy::unwrap_used)]

use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chess_records::parquet::UciRows;
use chess_records::pgn::movetext_moves;
use chess_records::{GameResult, LeftOut};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::RowAccessor;
use parquet::schema::parser::parse_message_type;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden/games")
        .join(name)
}

/// Movetext and result of each row.
fn raw_rows() -> Vec<(String, String)> {
    let file = SerializedFileReader::new(File::open(golden("raw-nasty.parquet")).unwrap()).unwrap();
    let column = |name: &str| {
        let schema = file.metadata().file_metadata().schema_descr();
        let mut columns = schema.columns().iter();
        columns.position(|column| column.name() == name).unwrap()
    };
    let (movetext, result) = (column("movetext"), column("Result"));
    let row = |row: Result<parquet::record::Row, _>| {
        let row = row.unwrap();
        let text = |column| row.get_string(column).unwrap().clone();
        (text(movetext), text(result))
    };
    file.get_row_iter(None).unwrap().map(row).collect()
}

/// What the corpus makes of a row: a list of 20 to 300 moves, or why there is none.
fn converted(movetext: &str, result: &str) -> Result<String, &'static str> {
    let moves = movetext_moves(movetext.as_bytes()).map_err(|_| "illegal")?;
    if GameResult::from_pgn(result.as_bytes()).is_none() {
        return Err("illegal");
    }
    match moves.len() {
        ..20 => Err("short"),
        301.. => Err("long"),
        _ => {
            let moves: Vec<_> = moves.iter().map(ToString::to_string).collect();
            Ok(moves.join(" "))
        }
    }
}

#[test]
fn nasty_movetext() {
    let expected = fs::read_to_string(golden("raw-nasty.parquet.expected.jsonl")).unwrap();
    let rows = raw_rows();
    assert_eq!(rows.len(), expected.lines().count());
    for ((movetext, result), line) in rows.iter().zip(expected.lines()) {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let expected = match line["dropped"].as_str() {
            Some(reason) => Err(reason.to_owned()),
            None => Ok(line["uci"].as_str().unwrap().to_owned()),
        };
        let found = converted(movetext, result).map_err(ToOwned::to_owned);
        assert_eq!(found, expected, "{movetext}");
    }
}

const SCHEMA: &str = "message games {
    required int64 game_id;
    optional binary uci (UTF8);
    optional binary result (UTF8);
    optional int32 white_elo (INTEGER(16, true));
    required int32 black_elo;
}";

type Row<'a> = (Option<&'a str>, Option<&'a str>, Option<i32>, i32);

/// A file with these row groups.
fn write(path: &Path, groups: &[&[Row<'_>]]) -> Result<(), Box<dyn Error>> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let mut file = SerializedFileWriter::new(File::create(path)?, schema, Default::default())?;
    for rows in groups {
        let mut group = file.next_row_group()?;
        let ids: Vec<_> = (0..).zip(*rows).map(|(id, _)| id).collect();
        let mut column = group.next_column()?.unwrap();
        column.typed::<Int64Type>().write_batch(&ids, None, None)?;
        column.close()?;
        for text in [
            |row: &Row<'_>| row.0.map(String::from),
            |row: &Row<'_>| row.1.map(String::from),
        ] {
            let values: Vec<_> = rows.iter().map(text).collect();
            let levels: Vec<_> = values
                .iter()
                .map(|value| i16::from(value.is_some()))
                .collect();
            let values = values.into_iter().flatten();
            let values: Vec<_> = values
                .map(|text| ByteArray::from(text.into_bytes()))
                .collect();
            let mut column = group.next_column()?.unwrap();
            column
                .typed::<ByteArrayType>()
                .write_batch(&values, Some(&levels), None)?;
            column.close()?;
        }
        let white: Vec<_> = rows.iter().filter_map(|row| row.2).collect();
        let levels: Vec<_> = rows.iter().map(|row| i16::from(row.2.is_some())).collect();
        let mut column = group.next_column()?.unwrap();
        column
            .typed::<Int32Type>()
            .write_batch(&white, Some(&levels), None)?;
        column.close()?;
        let black: Vec<_> = rows.iter().map(|row| row.3).collect();
        let mut column = group.next_column()?.unwrap();
        column
            .typed::<Int32Type>()
            .write_batch(&black, None, None)?;
        column.close()?;
        group.close()?;
    }
    file.close()?;
    Ok(())
}

#[test]
fn rows_of_uci_moves() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.parquet");
    let long = "e2e4 ".repeat((1 << 16) + 1);
    let first: &[Row<'_>] = &[
        (Some("e2e4  e7e5\n"), Some("1-0"), Some(1500), -5),
        (Some(""), Some("1/2-1/2"), None, 1600),
        (None, Some("0-1"), None, 0),
    ];
    let second: &[Row<'_>] = &[
        (Some("e2e4"), None, None, 0),
        (Some("e2e4"), Some("*"), None, 0),
        (Some("e2e4 castles"), Some("0-1"), None, 0),
        (Some(&long), Some("0-1"), None, 0),
    ];
    write(&path, &[first, &[], second]).unwrap();
    let mut rows = UciRows::new(File::open(&path).unwrap()).unwrap();
    assert_eq!((rows.len(), rows.is_empty()), (7, false));
    let mut all = Vec::new();
    let mut sizes = Vec::new();
    while let Some(some) = rows.next_rows(2).unwrap() {
        sizes.push(some.len());
        all.extend(some);
    }
    assert_eq!(sizes, [2, 1, 2, 2], "row groups are not joined");
    let game = all[0].game().unwrap();
    let moves: Vec<_> = game.moves.iter().map(ToString::to_string).collect();
    assert_eq!(moves, ["e2e4", "e7e5"]);
    assert_eq!(
        (game.result, game.elos()),
        (GameResult::WhiteWon, Some((1500, -5)))
    );
    let empty = all[1].game().unwrap();
    assert_eq!((empty.moves.len(), empty.white_elo), (0, None));
    let reasons: Vec<_> = all[2..].iter().map(|row| row.game().unwrap_err()).collect();
    use LeftOut::{NoMove, Result, TooLong};
    assert_eq!(reasons, [NoMove, Result, Result, NoMove, TooLong]);
    assert_eq!(all[5].check(), Ok(()), "words need not be moves");
    assert_eq!(all[5].words().last(), Some(&b"castles"[..]));
}

fn chain(error: &dyn Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", chain(source)),
        None => error.to_string(),
    }
}

#[test]
fn files_that_are_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.parquet");
    let error = || chain(&UciRows::new(File::open(&path).unwrap()).unwrap_err());
    fs::write(&path, "1. e4 e5").unwrap();
    assert!(error().starts_with("not a parquet file, or its end is damaged: "));
    let schema = |fields: &str| {
        let schema = parse_message_type(&format!("message games {{ {fields} }}")).unwrap();
        let file = File::create(&path).unwrap();
        let file = SerializedFileWriter::new(file, Arc::new(schema), Default::default());
        file.unwrap().close().unwrap();
    };
    schema("required binary uci; required binary result; required int32 white_elo;");
    assert_eq!(error(), "there is no column black_elo");
    schema("required int32 uci;");
    assert_eq!(
        error(),
        "column uci is INT32, expected BYTE_ARRAY without repetition"
    );
    schema("repeated binary uci;");
    assert_eq!(
        error(),
        "column uci is BYTE_ARRAY, expected BYTE_ARRAY without repetition"
    );
    // Damaged in its first pages.
    write(&path, &[&[(Some("e2e4"), Some("1-0"), None, 0)]]).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[4..60].fill(0xff);
    fs::write(&path, bytes).unwrap();
    let mut rows = UciRows::new(File::open(&path).unwrap()).unwrap();
    let error = chain(&rows.next_rows(1).unwrap_err());
    assert!(error.starts_with("row group 0 cannot be read: "), "{error}");
}
