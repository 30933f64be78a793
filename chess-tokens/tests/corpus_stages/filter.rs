//! Which games are kept.

use std::fs;

use chess_tokens::corpus::stages::{Filter, Stages};

use crate::support::{chain, column, golden, input, month, on, session, table};

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
