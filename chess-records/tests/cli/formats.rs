//! What the tool does with every format, and with bulletformat.

use std::fs;

use crate::support::{Folder, GOLDEN, bullets, golden, json, records, with_formats};
use chess_records::{BulletRecord, BulletView, MarlinRecord, MarlinView};

#[test]
fn every_format_is_told_by_its_extension_alone() {
    let folder = with_formats();
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
    let folder = with_formats();
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
    let folder = with_formats();
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
