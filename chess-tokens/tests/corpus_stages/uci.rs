//! Movetext to moves.

use std::fs;

use chess_tokens::corpus::Counts;
use chess_tokens::corpus::sql::SqlFormat;
use chess_tokens::corpus::stages::ToUci;

use crate::support::{ALL, column, golden, session, table, to_uci};

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
