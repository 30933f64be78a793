//! What the tool does with formats other than marlinformat and text.

use std::fs;
use std::path::PathBuf;

use crate::support::{Folder, GOLDEN, records};
use chess_records::{
    BulletRecord, BulletView, GameResult, MarlinMoveRecord, MarlinRecord, MarlinView, Score,
    ViriFilter, ViriGame, ViriGames,
};
use serde_json::Value;

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

fn games() -> Vec<u8> {
    fs::read(golden("viri/valid/games.viri")).unwrap()
}

/// The golden positions as bulletformat, each numbered in its extra bytes.
fn bullets(count: usize) -> Vec<u8> {
    let marlin = records(count);
    let view = MarlinView::new(&marlin).unwrap();
    let numbered = (0u32..).zip(view.iter());
    let bullet = numbered.map(|(number, labelled)| {
        let [a, b, c, _] = number.to_le_bytes();
        let record = BulletRecord::from_labelled_lossy(&labelled.unwrap(), [a, b, c]);
        record.unwrap().to_bytes()
    });
    bullet.flatten().collect()
}

fn with_files() -> Folder {
    let folder = Folder::new();
    folder.write("a.viri", games());
    folder.write("a.bullet", bullets(300));
    for name in ["stoof", "edge", "rank8", "nodict"] {
        for extension in ["zdat", "zdat.idx"] {
            let bytes = fs::read(golden(&format!("zdat/valid/{name}.{extension}"))).unwrap();
            folder.write(&format!("{name}.{extension}"), bytes);
        }
    }
    folder
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn every_format_is_told_by_its_extension_alone() {
    let folder = with_files();
    let formats = [
        ("a.viri", "viri"),
        ("a.bullet", "bullet"),
        ("edge.zdat", "zdat"),
    ];
    for (file, format) in formats {
        let report = folder
            .run(&format!("inspect {file} --json"))
            .succeeded()
            .text();
        assert_eq!(json(&report)["format"], format);
        folder.run(&format!("verify {file}")).succeeded();
        folder
            .run(&format!("stats {file} --plot {format}.svg"))
            .succeeded();
    }
    let ran = folder.run("inspect a.bullet --format marlin");
    assert!(
        ran.stderr
            .starts_with("a.bullet: taken as marlin, though its name says bullet\n"),
        "{}",
        ran.stderr
    );
    for command in ["inspect", "verify", "stats"] {
        folder.write("odd", fs::read(golden("zdat/valid/edge.zdat")).unwrap());
        for format in ["marlin", "marlin-move", "bullet", "viri", "text"] {
            folder
                .run(&format!("{command} odd --format {format}"))
                .failed(
                    2,
                    &format!("odd: is not {format}, it begins as .zdat files do"),
                );
        }
        folder
            .run(&format!("{command} odd --format zdat"))
            .succeeded();
        folder
            .run(&format!("{command} a.viri --format zdat"))
            .failed(1, "");
    }
}

#[test]
fn what_a_format_does_not_allow_is_refused_with_a_reason() {
    let folder = with_files();
    let before = folder.names();
    for command in [
        "shuffle a.viri -o out",
        "dedup a.viri -o out",
        "interleave a.viri -o out",
        "filter a.viri -o out",
    ] {
        folder
            .run(command)
            .failed(2, "viri files hold whole games, which this command");
    }
    for command in [
        "shuffle edge.zdat -o out",
        "dedup edge.zdat -o out",
        "interleave edge.zdat -o out",
        "filter edge.zdat -o out",
        "concat edge.zdat -o out",
        "head edge.zdat -o out",
        "split edge.zdat --train out --test out2",
    ] {
        folder
            .run(command)
            .failed(2, "zdat files hold compressed groups, which this command");
    }
    for (command, text) in [
        (
            "convert a.bullet out.viri",
            "viri holds the moves of whole games, which bullet does not have",
        ),
        (
            "convert a.bullet out.zdat --lossy",
            "zdat holds a policy and evaluations, which bullet does not have",
        ),
        ("convert a.viri out.viri", "the input is viri already"),
        (
            "convert edge.zdat out.marlin --lossy",
            "scores of zdat have no unit, give --score-scale",
        ),
        (
            "convert a.bullet out.marlin --score-scale 100",
            "--score-scale is for zdat files alone",
        ),
        (
            "convert edge.zdat out.marlin --score-scale -1",
            "-1 is no scale, expected a number over 0",
        ),
        (
            "convert a.bullet out.marlin --quiet",
            "options for positions of viri games are for viri files alone",
        ),
        (
            "verify a.viri --layout rank1",
            "--layout is for zdat files alone",
        ),
        (
            "split a.viri --train t --test u --by position",
            "games are not split by positions",
        ),
        (
            "verify - --format zdat",
            "zdat is read from files alone, not from pipes",
        ),
    ] {
        folder.run(command).failed(2, text);
    }
    assert_eq!(folder.names(), before);
}

#[test]
fn lossy_conversions_are_refused_and_say_what_would_go() {
    let folder = with_files();
    folder.write("a.marlin", records(40));
    folder.write("m.bin", records(40));
    let before = folder.names();
    for (command, text) in [
        (
            "convert a.marlin out.bullet",
            "marlinformat to bulletformat loses: side to move, castling rights, en passant square, \
             halfmove clock, fullmove number; --lossy",
        ),
        (
            "convert m.bin out.marlin --from marlin-move",
            "marlinformat with a best move to marlinformat loses: best move; --lossy",
        ),
        (
            "convert a.viri out.marlin",
            "viriformat to marlinformat loses: best move, games; --lossy",
        ),
        (
            "convert edge.zdat out.txt --score-scale 100",
            "zdat to text loses: policy, evaluations, fifty-move counter and repetition, plies to \
             the end of the game; --lossy",
        ),
    ] {
        folder.run(command).failed(2, text);
    }
    folder.run("convert a.bullet out.marlin").failed(
        1,
        "a.bullet: record 256 at byte 8192: the second and third extra byte would be lost; --lossy",
    );
    assert_eq!(folder.names(), before);
}

#[test]
fn bullet_and_marlin_and_back() {
    let folder = Folder::new();
    folder.write("a.marlin", GOLDEN);
    let ran = folder.run("convert a.marlin a.bullet --lossy").succeeded();
    let marlin = MarlinView::new(GOLDEN).unwrap();
    let black = |record: &&MarlinRecord| record.side_and_en_passant() & 0x80 != 0;
    let blacks = || marlin.records().iter().filter(black);
    let turned = format!("lost of {} records: the side to move\n", blacks().count());
    assert!(ran.stderr.starts_with(&turned), "{}", ran.stderr);
    // The lowest score has no counterpart on the other side.
    let lowest = blacks().filter(|record| record.score_cp() == i16::MIN);
    let scores = format!("\nlost of {} records: the score\n", lowest.count());
    assert!(ran.stderr.contains(&scores), "{}", ran.stderr);
    assert!(!ran.stderr.contains("the result"), "{}", ran.stderr);
    let bytes = folder.read("a.bullet");
    let bullet = BulletView::new(&bytes).unwrap();
    for (bullet, marlin) in bullet.records().iter().zip(marlin.records()) {
        assert_eq!(*bullet, BulletRecord::from_marlin_lossy(marlin).unwrap());
    }
    assert_eq!(bullet.len(), marlin.len());
    folder.run("convert a.bullet back.marlin").succeeded();
    let back = folder.read("back.marlin");
    let back = MarlinView::new(&back).unwrap();
    for (back, bullet) in back.records().iter().zip(bullet.records()) {
        assert_eq!(*back, MarlinRecord::from_bullet_lossy(bullet).unwrap());
    }
    folder.run("convert a.bullet a.txt --lossy").succeeded();
    folder.run("convert a.txt again.bullet --lossy").succeeded();
    let scores = |bytes: &[u8]| -> Vec<(i16, u8)> {
        let view = BulletView::new(bytes).unwrap();
        let records = view.records().iter();
        records
            .map(|record| (record.score_cp(), record.result()))
            .collect()
    };
    assert_eq!(scores(&folder.read("again.bullet")), scores(&bytes));
}

#[test]
fn damaged_sources_are_warned_of() {
    let folder = Folder::new();
    let line = "bnbqkbnb/pppppppp/8/8/8/8/PPPPPPPP/BNBQKBNB w - - 0 1 | 1 | 0.5\n";
    folder.write("a.txt", line);
    folder.run("convert a.txt a.bullet --lossy").succeeded();
    let ran = folder.run("convert a.bullet a.marlin").succeeded();
    let warning = "WARNING: 1 of 1 early positions have a bishop in a corner behind its king: ";
    assert!(ran.stderr.contains(warning), "{}", ran.stderr);
    let ran = folder.run("convert a.marlin b.bullet --lossy").succeeded();
    assert!(ran.stderr.contains(warning), "{}", ran.stderr);
    let stats = folder.run("stats a.bullet").succeeded().text();
    assert!(stats.contains("\nWARNING "), "{stats}");
}

#[test]
fn bullet_records_are_worked_on_as_others_are() {
    let folder = Folder::new();
    let bytes = bullets(60);
    folder.write("a.bullet", &bytes);
    folder
        .run("head a.bullet -n 3 --skip 7 -o h.bullet")
        .succeeded();
    assert_eq!(folder.read("h.bullet"), &bytes[7 * 32..10 * 32]);
    folder
        .run("concat a.bullet h.bullet -o c.bullet")
        .succeeded();
    assert_eq!(
        folder.read("c.bullet"),
        [&bytes[..], &bytes[7 * 32..10 * 32]].concat()
    );
    folder
        .run("shuffle a.bullet -o s.bullet --seed 3")
        .succeeded();
    let shuffled = folder.read("s.bullet");
    assert_ne!(shuffled, bytes);
    let sorted = |bytes: &[u8]| {
        let mut records: Vec<_> = bytes.chunks(32).map(<[u8]>::to_vec).collect();
        records.sort();
        records
    };
    assert_eq!(sorted(&shuffled), sorted(&bytes));
    folder
        .run("interleave a.bullet h.bullet -o i.bullet")
        .succeeded();
    assert_eq!(folder.read("i.bullet").len(), 63 * 32);
    let ran = folder
        .run("split a.bullet --train t.bullet --test u.bullet --test-share 0.5")
        .succeeded();
    assert!(ran.stderr.starts_with("split by position, NOT by game"));
    let parts = [folder.read("t.bullet"), folder.read("u.bullet")].concat();
    assert_eq!(sorted(&parts), sorted(&bytes));
    folder.run("dedup c.bullet -o d.bullet").succeeded();
    folder.run("dedup a.bullet -o e.bullet").succeeded();
    assert_eq!(folder.read("d.bullet"), folder.read("e.bullet"));
    // The second copy's score differs: the mean is stored where bulletformat has it.
    let mut twice = [&bytes[..32], &bytes[..32]].concat();
    twice[24..26].copy_from_slice(&100i16.to_le_bytes());
    twice[56..58].copy_from_slice(&(-40i16).to_le_bytes());
    folder.write("twice.bullet", &twice);
    folder
        .run("dedup twice.bullet -o mean.bullet --keep mean-score")
        .succeeded();
    let mut expected = twice[..32].to_vec();
    expected[24..26].copy_from_slice(&30i16.to_le_bytes());
    assert_eq!(folder.read("mean.bullet"), expected);
    folder
        .run("filter twice.bullet -o f.bullet --score ..0")
        .succeeded();
    assert_eq!(folder.read("f.bullet"), &twice[32..]);
    let mut bad = bytes.clone();
    bad[32 + 26] = 7;
    folder.write("bad.bullet", bad);
    let text = folder.run("verify bad.bullet").failed(1, "").text();
    assert!(
        text.starts_with("bad.bullet: record 1 at byte 32: the result (offset 26) is 7"),
        "{text}"
    );
}

#[test]
fn games_are_counted_checked_and_shown() {
    let folder = with_files();
    let bytes = games();
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
    let folder = with_files();
    let bytes = games();
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
    let folder = with_files();
    let bytes = games();
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

fn expected_zdat(name: &str) -> Vec<Value> {
    let path = golden(&format!("zdat/valid/{name}.zdat.expected.jsonl"));
    let lines = fs::read_to_string(path).unwrap();
    lines.lines().map(json).collect()
}

#[test]
fn zdat_is_told_with_index_layout_and_licence() {
    let folder = with_files();
    let copy = |from: &str, to: &str| {
        folder.write(to, folder.read(from));
    };
    copy("edge.zdat", "train_x.zdat");
    let table = folder.run("inspect train_x.zdat").succeeded().text();
    for line in [
        "\nindex                 made from the data, there is no .idx file\n",
        "\nlayout                rank 1 first, policy from a1 (told by 112 records)\n",
        "\nlicence               CC-BY-4.0: name the author and the licence",
        "\npositions             112\n",
        "(no unit, the mover's side)\n",
    ] {
        assert!(table.contains(line), "{line:?} not in {table}");
    }
    let table = folder.run("stats rank8.zdat").succeeded().text();
    for line in [
        "\nindex                 read from its file\n",
        "\nlayout                rank 8 first, policy from a8 (told by 59 records)\n",
        "\nlicence               not told by the name\n",
    ] {
        assert!(table.contains(line), "{line:?} not in {table}");
    }
    folder.write("rank8.zdat.idx", "SJNGIDX1");
    let ran = folder.run("verify rank8.zdat").succeeded();
    assert!(
        ran.stderr.starts_with(
            "rank8.zdat: index made from the data, the .idx file is not used: the index has 8 bytes"
        ),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.text(), "59 sound records, 0 faults\n");
    let ran = folder.run("verify rank8.zdat --layout rank1").failed(1, "");
    assert!(
        ran.stderr
            .contains("rank 1 first, policy from a1 (as given)")
    );
    let expected = expected_zdat("edge");
    let shown = folder
        .run("inspect edge.zdat --record 5 --json")
        .succeeded();
    let shown = json(&shown.text());
    assert_eq!(shown["score_cp"], Value::Null);
    let score = expected[5]["score"].as_f64().unwrap() as f32;
    assert_eq!(shown["zdat_score"], format!("{score} (no unit)"));
    folder
        .run("inspect edge.zdat --record 112")
        .failed(2, "there is no record 112");
}

#[test]
fn undecided_layouts_are_not_guessed() {
    let folder = Folder::new();
    // One record of bare bytes tells nothing, and is no position.
    let mut bytes = b"SJNGDAT1\xc1\x11\0\0\x20\0\0\0\x09\0\0\0\0\0\0\0".to_vec();
    bytes.extend(b"\x28\xb5\x2f\xfd\x60\xc1\x10\x0b\x8e\0\0");
    folder.write("zeros.zdat", &bytes);
    let table = folder.run("inspect zeros.zdat").succeeded().text();
    assert!(
        table.contains("\nlayout                undecided after 1 records: they fit "),
        "{table}"
    );
    let ran = folder
        .run("verify zeros.zdat")
        .failed(1, "without a layout, ");
    assert!(
        ran.text()
            .starts_with("zeros.zdat: record 0 in group 0 at byte 24: White has 0 kings"),
        "{}",
        ran.text()
    );
    let convert = "convert zeros.zdat out.marlin --lossy --score-scale 1";
    folder
        .run(convert)
        .failed(2, "zeros.zdat: layout undecided after 1 records");
    folder
        .run(&format!("{convert} --layout rank8"))
        .failed(1, "record 0 in group 0 at byte 24: White has 0 kings");
    folder.write("cut.zdat", &bytes[..bytes.len() - 2]);
    for command in ["verify", "stats", "inspect"] {
        folder.run(&format!("{command} cut.zdat")).failed(1, "");
    }
    assert_eq!(folder.names(), ["cut.zdat", "zeros.zdat"]);
}

#[test]
fn zdat_converts_with_the_scale_that_is_given() {
    let folder = with_files();
    for name in ["edge", "rank8", "stoof", "nodict"] {
        let command = format!("convert {name}.zdat {name}.marlin --lossy --score-scale 200 -f");
        let ran = folder.run(&command).succeeded();
        assert!(
            ran.stderr.contains(" records: the policy\n"),
            "{}",
            ran.stderr
        );
        let out = folder.read(&format!("{name}.marlin"));
        let view = MarlinView::new(&out).unwrap();
        let expected = expected_zdat(name);
        assert_eq!(view.len(), expected.len() as u64);
        for (labelled, expected) in view.iter().zip(&expected) {
            let labelled = labelled.unwrap();
            let score = expected["score"].as_f64().unwrap() as f32;
            let score_cp = (f64::from(score) * 200.0).round() as i16;
            assert_eq!(labelled.label.score, Some(Score::Centipawns(score_cp)));
            let result = match expected["outcome"].as_f64().unwrap() as i8 {
                -1 => GameResult::BlackWon,
                0 => GameResult::Draw,
                _ => GameResult::WhiteWon,
            };
            assert_eq!(labelled.label.result, Some(result));
        }
    }
    folder
        .run("convert edge.zdat big.marlin --lossy --score-scale 1e9")
        .failed(1, "centipawns, expected -32768 to 32767");
    folder.write("test80-x.zdat", folder.read("edge.zdat"));
    let ran = folder
        .run("convert test80-x.zdat a2.bullet --lossy --score-scale 100")
        .succeeded();
    assert!(
        ran.stderr
            .contains("test80-x.zdat: licence ODbL 1.0 and DbCL 1.0: name the source"),
        "{}",
        ran.stderr
    );
    assert_eq!(folder.read("a2.bullet").len(), 112 * 32);
    folder
        .run("convert edge.zdat a.txt --lossy --score-scale 100")
        .succeeded();
}

#[test]
fn marlin_with_moves_is_worked_on_by_format_alone() {
    let folder = Folder::new();
    let bytes = records(30);
    folder.write("a.marlin", &bytes);
    for command in ["head a.marlin -n 30", "concat a.marlin", "filter a.marlin"] {
        folder
            .run(&format!("{command} --format marlin-move -f -o out"))
            .succeeded();
        assert_eq!(folder.read("out"), bytes, "{command}");
    }
    for command in ["shuffle", "interleave", "dedup"] {
        folder
            .run(&format!(
                "{command} a.marlin --format marlin-move -f -o out"
            ))
            .succeeded();
    }
    folder
        .run("split a.marlin --format marlin-move --train t --test u --by game")
        .failed(1, "the files do not tell games");
    let verified = folder
        .run("verify a.marlin --format marlin-move")
        .succeeded();
    assert_eq!(verified.text(), "30 sound records, 0 faults\n");
    assert_eq!(verified.stderr, "");
}
