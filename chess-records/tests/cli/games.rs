//! What the tool does with games of viriformat.

use std::fs;

use crate::support::{Folder, golden, golden_games, json, with_formats};
use chess_records::{MarlinMoveRecord, MarlinRecord, MarlinView, ViriFilter, ViriGame, ViriGames};

#[test]
fn games_are_counted_checked_and_shown() {
    let folder = with_formats();
    let bytes = golden_games();
    let all = ViriGames::new(&bytes).unwrap();
    let (games, plies) = (all.len(), all.position_count());
    let report = json(&folder.run("stats a.viri --json").succeeded().text());
    assert_eq!(
        (&report["games"], &report["plies"], &report["positions"]),
        (&games.into(), &plies.into(), &plies.into())
    );
    let table = folder.run("inspect a.viri").succeeded().text();
    assert!(
        table.contains(&format!("\nplies                 {plies}\n")),
        "{table}"
    );
    let verified = folder.run("verify a.viri a.viri").succeeded().text();
    let (games, plies) = (2 * games, 2 * plies);
    assert_eq!(
        verified,
        format!("{plies} sound records in {games} sound games, 0 faults\n")
    );
    let (game, ply) = all.find(100).unwrap();
    let shown = json(
        &folder
            .run("inspect a.viri --record 100 --json")
            .succeeded()
            .text(),
    );
    let here = all
        .get(game)
        .unwrap()
        .positions()
        .nth(ply as usize)
        .unwrap()
        .unwrap();
    assert_eq!(shown["fen"], here.labelled.position.fen().to_string());
    assert_eq!(shown["game"], game.to_string());
    assert_eq!(shown["ply"], ply.to_string());
    assert_eq!(shown["played"], here.played.to_string());
    folder
        .run(&format!("inspect a.viri --record {plies}"))
        .failed(2, "there is no record");
}

#[test]
fn faults_in_games_name_game_ply_and_byte() {
    let folder = Folder::new();
    let mut checked = 0;
    for entry in fs::read_dir(golden("viri/invalid")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().unwrap() != "viri" {
            continue;
        }
        let name = path.file_name().unwrap().to_str().unwrap();
        folder.write(name, fs::read(&path).unwrap());
        let expected = fs::read_to_string(path.with_extension("error.txt")).unwrap();
        let expected = format!("{name}: {}", expected.trim_end());
        let text = folder.run(&format!("verify {name}")).failed(1, "").text();
        assert_eq!(text.lines().next(), Some(&*expected), "{text}");
        let report = folder.run(&format!("stats {name} --json")).failed(1, "");
        assert_eq!(json(&report.text())["first_fault"], *expected);
        folder
            .run(&format!("convert {name} out.marlin --lossy"))
            .failed(1, &expected);
        assert!(!folder.path("out.marlin").exists());
        checked += 1;
    }
    assert_eq!(checked, 8);
    let faults = folder
        .run("verify bad-move.viri --json")
        .failed(1, "")
        .text();
    assert!(
        json(&faults)["sound_games"].as_u64().unwrap() > 0,
        "{faults}"
    );
}

#[test]
fn games_stay_whole() {
    let folder = with_formats();
    let bytes = golden_games();
    let all = ViriGames::new(&bytes).unwrap();
    let stretch = |first, end| {
        let at = |game| {
            all.get(game)
                .map_or(bytes.len(), |game| game.byte_offset() as usize)
        };
        &bytes[at(first)..at(end)]
    };
    folder
        .run("head a.viri -n 3 --skip 5 -o h.viri")
        .succeeded();
    assert_eq!(folder.read("h.viri"), stretch(5, 8));
    folder.run("head a.viri -n 1000 -o all.viri").succeeded();
    assert_eq!(folder.read("all.viri"), bytes);
    folder.run("concat h.viri a.viri -o c.viri").succeeded();
    assert_eq!(folder.read("c.viri"), [stretch(5, 8), &bytes].concat());
    let piped = folder
        .pipe("concat - a.viri -o - --format viri", stretch(5, 8))
        .succeeded();
    assert_eq!(piped.stdout, folder.read("c.viri"));
    folder.write("cut.viri", &bytes[..bytes.len() - 4]);
    folder
        .run("concat cut.viri a.viri -o bad.viri")
        .failed(1, &format!("cut.viri: game {} at byte", all.len() - 1));
    assert!(!folder.path("bad.viri").exists());
    folder.write("empty.viri", "");
    folder.run("concat empty.viri -o e.viri").succeeded();
    assert_eq!(folder.read("e.viri"), b"");
    let ran = folder
        .run("split a.viri --train t.viri --test u.viri --test-share 0.25 --seed 4")
        .succeeded();
    let parts = ["t.viri", "u.viri"].map(|name| ViriGames::new(folder.read(name)).unwrap());
    assert_eq!(parts[0].len() + parts[1].len(), all.len());
    assert_eq!(parts[1].len(), (all.len() as f64 * 0.25).round() as u64);
    assert!(
        ran.stderr
            .contains(&format!(", {} games\n", parts[1].len())),
        "{}",
        ran.stderr
    );
    folder
        .run("split a.viri --train t.viri --test u.viri")
        .failed(2, "t.viri: exists already");
}

#[test]
fn games_expand_into_positions() {
    let folder = with_formats();
    let bytes = golden_games();
    let all = ViriGames::new(&bytes).unwrap();
    let expected = |filter: ViriFilter| -> Vec<MarlinRecord> {
        let of_game = |game: ViriGame<'_>| -> Vec<MarlinRecord> {
            let extra = game.start().extra();
            let positions = game.positions().map(Result::unwrap);
            let kept = positions.filter(|here| filter.keeps(here));
            kept.map(|here| MarlinRecord::encode(&here.labelled, extra).unwrap())
                .collect()
        };
        all.iter().flat_map(of_game).collect()
    };
    let everything = ViriFilter::EVERYTHING;
    let mut sizes = Vec::new();
    for (options, filter) in [
        ("", everything),
        (" --usual", ViriFilter::USUAL),
        (
            " --quiet",
            ViriFilter {
                in_check: false,
                tactical: false,
                ..everything
            },
        ),
        (
            " --no-castling --min-ply 6 --min-men 10 --max-men 30 --max-score 500",
            ViriFilter {
                castling: false,
                min_ply: 6,
                min_men: 10,
                max_men: 30,
                max_abs_score_cp: 500,
                ..everything
            },
        ),
        (
            " --usual --min-ply 3",
            ViriFilter {
                min_ply: 3,
                ..ViriFilter::USUAL
            },
        ),
    ] {
        let command = format!("convert a.viri out.marlin --lossy -f{options}");
        folder.run(&command).succeeded();
        let out = folder.read("out.marlin");
        let records: Vec<_> = MarlinView::new(&out).unwrap().records().to_vec();
        assert_eq!(records, expected(filter), "{options}");
        sizes.push(records.len());
    }
    sizes.sort_unstable();
    sizes.dedup();
    assert_eq!(sizes.len(), 5, "every filter leaves something else out");
    folder
        .run("convert a.viri m.bin --to marlin-move --lossy")
        .succeeded();
    let out = folder.read("m.bin");
    for (bytes, here) in out.chunks(32).zip(all.positions()) {
        let record = MarlinMoveRecord::from_bytes(bytes.try_into().unwrap());
        let expected = here.unwrap().to_marlin_move_lossy();
        assert_eq!(record.as_bytes()[..31], expected.as_bytes()[..31]);
    }
    let ran = folder.run("convert a.viri a.txt --lossy").succeeded();
    let plies = all.position_count();
    assert!(
        ran.stderr.contains(&format!(
            "lost of {plies} records: the game it belongs to\n"
        )),
        "{}",
        ran.stderr
    );
}
