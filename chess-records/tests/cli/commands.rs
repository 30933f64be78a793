//! What each command of the tool does, says and exits with.

use std::fs;

use crate::support::{Folder, GOLDEN, golden_games, records};
use serde_json::Value;

const COMMANDS: [&str; 11] = [
    "inspect",
    "verify",
    "convert",
    "shuffle",
    "interleave",
    "concat",
    "head",
    "split",
    "dedup",
    "filter",
    "stats",
];

fn with_files() -> Folder {
    let folder = Folder::new();
    folder.write("a.marlin", GOLDEN);
    folder.write("b.marlin", records(50));
    folder.write("empty.marlin", "");
    folder.write("odd.marlin", &records(3)[..90]);
    let mut bad = records(5);
    (bad[2 * 32 + 30], bad[4 * 32 + 30]) = (3, 9);
    folder.write("bad.marlin", bad);
    folder
}

/// As records, in an order of their own.
fn sorted(bytes: &[u8]) -> Vec<&[u8]> {
    let mut records: Vec<_> = bytes.chunks(32).collect();
    records.sort_unstable();
    records
}

#[test]
fn help_teaches() {
    let folder = Folder::new();
    for command in COMMANDS {
        let help = folder.run(&format!("{command} --help")).succeeded().text();
        assert!(help.contains("Examples:"), "{command}");
        assert!(
            help.contains(&format!("\n  chess-records {command} ")),
            "{command}"
        );
        folder.run(&format!("{command} -h")).succeeded();
    }
    let help = folder.run("--help").succeeded().text();
    assert!(COMMANDS.iter().all(|command| help.contains(command)));
    assert!(help.contains("Exit codes:"));
    let version = folder.run("--version").succeeded().text();
    assert_eq!(
        version,
        format!("chess-records {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn the_first_records_are_verified_alone() {
    let folder = Folder::new();
    let mut bytes = records(100);
    bytes[32 * 50 + 30] = 9;
    folder.write("a.marlin", &bytes);
    let ran = folder.run("verify a.marlin --first 50").succeeded();
    assert_eq!(ran.text(), "50 sound records, 0 faults (stopped there)\n");
    let ran = folder.run("verify a.marlin --first 51").failed(1, "");
    assert!(
        ran.text()
            .ends_with("50 sound records, 1 faults (stopped there)\n")
    );
    folder.write("a.viri", golden_games());
    let ran = folder.run("verify a.viri --first 2").succeeded().text();
    assert!(ran.contains(" in 2 sound games, 0 faults"), "{ran}");
    let zdat = crate::support::with_formats();
    let ran = zdat.run("verify stoof.zdat --first 3").succeeded().text();
    assert!(ran.starts_with("3 sound records"), "{ran}");
}

#[test]
fn duplicates_are_estimated() {
    let folder = Folder::new();
    folder.write("a.marlin", records(5000));
    let stats = folder.run("stats a.marlin --json").succeeded().text();
    let estimate = crate::support::json(&stats)["distinct_estimate"]
        .as_u64()
        .unwrap();
    folder.run("dedup a.marlin -o b.marlin").succeeded();
    let exact = folder.read("b.marlin").len() as u64 / 32;
    assert!(
        estimate.abs_diff(exact) <= exact / 50,
        "{estimate} of {exact}"
    );
    let text = folder.run("stats a.marlin").succeeded().text();
    assert!(text.contains("% are duplicates (estimated"), "{text}");
}

#[test]
fn wrong_usage_exits_with_2() {
    let folder = with_files();
    folder.run("").failed(2, "");
    folder.run("frobnicate").failed(2, "frobnicate");
    folder.run("shuffle").failed(2, "required");
    for (arguments, text) in [
        (
            "inspect missing.marlin",
            "missing.marlin: cannot be opened: No such file",
        ),
        (
            "inspect a.bin",
            "a.bin: the extension does not tell the format, give --format",
        ),
        (
            "convert a.marlin out",
            "out: the extension does not tell the format, give --to",
        ),
        (
            "inspect a.marlin --record 999999",
            "a.marlin: there is no record 999999",
        ),
        (
            "shuffle a.marlin -o a2.marlin --memory 1M",
            "1048576 bytes of memory are too few",
        ),
        (
            "shuffle a.marlin -o a2.marlin --memory lots",
            "lots is no number of bytes",
        ),
        (
            "shuffle . -o a2.marlin --format marlin",
            ".: is no regular file",
        ),
        ("shuffle a.marlin -o -", "the output must be a file"),
        (
            "shuffle a.txt -o b.txt",
            "works on fixed-size records alone",
        ),
        (
            "concat a.marlin b.txt -o c.marlin",
            "b.txt: is text, the files before it are not",
        ),
        (
            "filter a.marlin -o b --men 5",
            "5 is no range, expected LOW..HIGH",
        ),
        (
            "interleave a.marlin -o b --weights 1,2",
            "2 weights for 1 sources",
        ),
        (
            "split a.marlin --train t --test u --test-share 1",
            "nothing to train on",
        ),
        (
            "split a.marlin --train t --test t",
            "t: is named as output twice",
        ),
        ("head a.marlin -o missing/out", "cannot be created"),
    ] {
        folder.run(arguments).failed(2, text);
    }
}

#[test]
fn outputs_are_kept_without_force() {
    let folder = with_files();
    folder.write("old", "old");
    for command in [
        "convert a.marlin old --to text --lossy",
        "shuffle a.marlin -o old",
        "interleave a.marlin b.marlin -o old",
        "concat a.marlin -o old",
        "head a.marlin -o old",
        "split a.marlin --train old --test new",
        "split a.marlin --train new --test old",
        "dedup a.marlin -o old",
        "filter a.marlin -o old",
        "stats a.marlin --plot old",
    ] {
        folder.run(command).failed(2, "old: exists already");
        assert_eq!(folder.read("old"), b"old");
        assert!(!folder.path("new").exists());
        folder.run(&format!("{command} --force")).succeeded();
        assert_ne!(folder.read("old"), b"old");
        folder.write("old", "old");
        let _ = fs::remove_file(folder.path("new"));
    }
}

#[test]
fn outputs_among_the_inputs_are_refused() {
    let folder = with_files();
    let mut names = vec!["b.marlin", "./b.marlin"];
    fs::hard_link(folder.path("b.marlin"), folder.path("hard")).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("b.marlin", folder.path("soft")).unwrap();
        names.extend(["soft", "hard"]);
    }
    let before = folder.names();
    for name in names {
        for command in [
            "shuffle a.marlin b.marlin -f -o",
            "interleave a.marlin b.marlin -f -o",
            "concat a.marlin b.marlin -f -o",
            "dedup a.marlin b.marlin -f -o",
            "filter a.marlin b.marlin -f -o",
            "head b.marlin -f -o",
            "convert b.marlin --to text -f",
            "split b.marlin -f --train train --test",
            "stats b.marlin -f --plot",
        ] {
            let ran = folder.run(&format!("{command} {name}"));
            ran.failed(2, &format!("{name}: is also an input, as b.marlin"));
        }
    }
    assert_eq!(folder.read("b.marlin"), records(50));
    assert_eq!(folder.names(), before);
}

#[test]
fn faults_are_found() {
    let folder = with_files();
    let sound = folder
        .run("verify a.marlin b.marlin empty.marlin")
        .succeeded();
    let records = GOLDEN.len() / 32 + 50;
    assert_eq!(sound.text(), format!("{records} sound records, 0 faults\n"));
    let bad = folder.run("verify bad.marlin odd.marlin").failed(1, "");
    let reason = "the result (offset 30) is";
    let expected = "expected 0 Black won, 1 draw or 2 White won";
    assert_eq!(
        bad.text(),
        format!(
            "bad.marlin: record 2 at byte 64: {reason} 3, {expected}\n\
             bad.marlin: record 4 at byte 128: {reason} 9, {expected}\n\
             odd.marlin: record 2 at byte 64: the end after 26 bytes, expected 32\n\
             5 sound records, 3 faults\n"
        )
    );
    assert_eq!(bad.stderr, "");
    let limited = folder
        .run("verify bad.marlin odd.marlin --limit 1")
        .failed(1, "");
    assert!(
        limited
            .text()
            .ends_with("\n2 sound records, 1 faults (stopped there)\n")
    );
    let json = folder.run("verify bad.marlin --json").failed(1, "").text();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["sound"], json["faults"].as_array().unwrap().len()),
        (&3.into(), 2)
    );
}

#[test]
fn faults_in_text_are_all_found() {
    let folder = Folder::new();
    let line = "4k3/8/8/8/8/8/8/4K3 w - - 0 1 | 5 | 1.0";
    folder.write(
        "a.txt",
        format!("{line}\r\n\nx | 1 | 1\n{line}\n{line} | 3\n{line}"),
    );
    let ran = folder.run("verify a.txt").failed(1, "");
    let text = ran.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(
        lines[0].starts_with("a.txt: line 3: the FEN cannot be read: "),
        "{text}"
    );
    assert_eq!(
        lines[1],
        "a.txt: line 5: the line has 4 fields, expected 3: FEN | score | result"
    );
    assert_eq!(lines[2], "3 sound records, 2 faults");
}

#[test]
fn faults_end_the_other_commands_with_1() {
    let folder = with_files();
    let before = folder.names();
    for (arguments, text) in [
        (
            "convert bad.marlin out.txt --lossy",
            "bad.marlin: record 2 at byte 64: the result",
        ),
        (
            "filter bad.marlin -o out",
            "bad.marlin: record 2 at byte 64: the result",
        ),
        (
            "dedup bad.marlin -o out",
            "bad.marlin: record 2 at byte 64: the result",
        ),
        (
            "concat a.marlin odd.marlin -o out",
            "odd.marlin: record 2 at byte 64: the end after",
        ),
        (
            "shuffle a.marlin odd.marlin -o out",
            "odd.marlin: is no file of records: 26 trailing",
        ),
        (
            "interleave odd.marlin -o out",
            "odd.marlin: is no file of records: 26 trailing",
        ),
        (
            "split odd.marlin --train out --test out2",
            "odd.marlin: is no file of records",
        ),
        ("inspect bad.marlin", ""),
        ("stats bad.marlin odd.marlin", ""),
        (
            "inspect bad.marlin --record 4",
            "bad.marlin: record 4 at byte 128: the result",
        ),
    ] {
        folder.run(arguments).failed(1, text);
        assert_eq!(folder.names(), before, "{arguments}");
    }
    let table = folder.run("inspect bad.marlin").text();
    assert!(table.contains("\nfaults                2\n"), "{table}");
    assert!(table.contains("\nfirst fault           bad.marlin: record 2 at byte 64: the result"));
}

#[test]
fn empty_files_are_files_without_records() {
    let folder = with_files();
    for command in ["shuffle", "interleave", "concat", "dedup", "filter", "head"] {
        let out = format!("{command}.out");
        folder
            .run(&format!("{command} empty.marlin -o {out}"))
            .succeeded();
        assert_eq!(folder.read(&out), b"", "{command}");
    }
    folder.run("convert empty.marlin empty.txt").succeeded();
    folder.run("verify empty.txt").succeeded();
    folder
        .run("split empty.marlin --train t --test u")
        .succeeded();
    let json = folder.run("stats empty.marlin --json").succeeded().text();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["positions"], &json["score_mean_cp"]),
        (&0.into(), &Value::Null)
    );
    folder.run("inspect empty.marlin").succeeded();
    folder
        .run("stats empty.marlin --plot empty.svg")
        .succeeded();
}

#[test]
fn text_and_back_loses_nothing() {
    let folder = with_files();
    // The golden positions have extra bytes, which text has no place for.
    let refused = folder.run("convert b.marlin b.txt");
    assert_eq!(
        refused.code,
        Some(0),
        "fifty records have none: {}",
        refused.stderr
    );
    folder.run("convert b.txt back.marlin").succeeded();
    assert_eq!(folder.read("back.marlin"), folder.read("b.marlin"));
}

#[test]
fn losses_are_refused_or_counted() {
    let folder = Folder::new();
    let mut bytes = records(4);
    (bytes[32 + 31], bytes[64 + 31]) = (1, 2);
    bytes[3 * 32 + 26..3 * 32 + 28].fill(0);
    folder.write("a.marlin", &bytes);
    folder.run("convert a.marlin a.txt").failed(
        1,
        "a.marlin: record 1 at byte 32: the extra byte would be lost; --lossy",
    );
    assert_eq!(folder.names(), ["a.marlin"]);
    let ran = folder.run("convert a.marlin a.txt --lossy").succeeded();
    assert_eq!(
        ran.stderr,
        "lost of 1 records: the fullmove number (or that it is unknown)\n\
         lost of 2 records: the extra byte\n"
    );
    assert_eq!(
        folder
            .read("a.txt")
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count(),
        4
    );
    folder.run("convert a.marlin m --to marlin-move").failed(
        2,
        "marlinformat to marlinformat with a best move loses: fullmove number; --lossy",
    );
    folder
        .run("convert a.marlin a.txt --from marlin-move --lossy --force")
        .succeeded();
}

#[test]
fn records_are_shown() {
    let folder = Folder::new();
    let line = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 9 | -31 | 0.5";
    folder.write("a.txt", format!("{line}\n"));
    let shown = folder.run("inspect a.txt --record 0").succeeded().text();
    assert!(
        shown.starts_with("record 0\n\n  8 r . . . k . . r\n  7 . . ."),
        "{shown}"
    );
    assert!(shown.contains("\n    a b c d e f g h\n\nr3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 9\n"));
    assert!(shown.ends_with("score   -31 centipawns (White's side)\nresult  1/2-1/2\n"));
    let json = folder
        .run("inspect a.txt --record 0 --json")
        .succeeded()
        .text();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["score_cp"], &json["result"]),
        (&(-31).into(), &"1/2-1/2".into())
    );
}

#[test]
fn counts_agree_as_text_and_json() {
    let folder = with_files();
    let json = folder
        .run("stats a.marlin b.marlin --json")
        .succeeded()
        .text();
    let json: Value = serde_json::from_str(&json).unwrap();
    let positions = GOLDEN.len() as u64 / 32 + 50;
    assert_eq!(json["positions"], positions);
    let sum = |counts: &Value| -> u64 {
        counts
            .as_array()
            .unwrap()
            .iter()
            .map(|count| count.as_u64().unwrap())
            .sum()
    };
    assert_eq!(sum(&json["men"]), positions);
    assert_eq!(sum(&json["phases"]), positions);
    let results = json["results"].as_object().unwrap().values();
    assert_eq!(results.map(|n| n.as_u64().unwrap()).sum::<u64>(), positions);
    let table = folder
        .run("stats a.marlin b.marlin --plot plot.svg")
        .succeeded()
        .text();
    assert!(
        table.contains(&format!("positions             {positions}\n")),
        "{table}"
    );
    let svg = String::from_utf8(folder.read("plot.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("White won"), "results are named");
}

#[test]
fn orders_are_seeded_and_nothing_is_lost() {
    let folder = with_files();
    for (out, seed) in [("s1", 1), ("s2", 1), ("s3", 2)] {
        let arguments = format!("shuffle a.marlin b.marlin -o {out} --seed {seed}");
        folder.run(&arguments).succeeded();
    }
    assert_eq!(folder.read("s1"), folder.read("s2"));
    assert_ne!(folder.read("s1"), folder.read("s3"));
    folder
        .run("concat a.marlin empty.marlin b.marlin -o c")
        .succeeded();
    let joined = [GOLDEN, &records(50)].concat();
    assert_eq!(folder.read("c"), joined);
    assert_eq!(sorted(&folder.read("s1")), sorted(&joined));
    let ran = folder.run("interleave a.marlin b.marlin -o i").succeeded();
    assert!(
        ran.stderr.ends_with("b.marlin: 50 of 50 records\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(sorted(&folder.read("i")), sorted(&joined));
    let ran = folder
        .run("interleave a.marlin b.marlin -o w --weights 3,1")
        .succeeded();
    assert!(
        ran.stderr.contains("b.marlin: 50 of 50 records"),
        "{}",
        ran.stderr
    );
}

#[test]
fn stretches_and_filters() {
    let folder = with_files();
    folder.run("head a.marlin -n 7 --skip 100 -o h").succeeded();
    assert_eq!(folder.read("h"), &GOLDEN[3200..3200 + 224]);
    folder
        .run("head b.marlin -n 70 --skip 45 -o short")
        .succeeded();
    assert_eq!(folder.read("short").len(), 5 * 32);
    folder.run("head b.marlin --skip 450 -o none").succeeded();
    assert_eq!(folder.read("none"), b"");
    folder.run("convert b.marlin b.txt").succeeded();
    let ran = folder.run("head b.txt -n 2 --skip 3 -o -").succeeded();
    let text = String::from_utf8(folder.read("b.txt")).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    assert_eq!(ran.text(), lines[3..5].concat());
    let ran = folder
        .run("filter b.marlin -o f --score 10..19")
        .succeeded();
    assert_eq!(ran.stderr, "10 of 50 records kept\n");
    assert_eq!(folder.read("f"), &records(50)[320..640]);
    folder
        .run("filter b.marlin -o f -f --score -5..19 --no-check --men 2..")
        .succeeded();
}

#[test]
fn duplicates_go() {
    let folder = Folder::new();
    folder.write("a.marlin", records(3 * GOLDEN.len() / 32));
    let ran = folder.run("dedup a.marlin -o d").succeeded();
    let kept = folder.read("d").len() / 32;
    let all = 3 * GOLDEN.len() / 32;
    assert_eq!(ran.stderr, format!("{kept} of {all} records kept\n"));
    folder
        .run("dedup d -o again --format marlin --keep mean-score")
        .succeeded();
    assert_eq!(folder.read("again"), folder.read("d"));
}

#[test]
fn splits_say_what_they_split_by() {
    let folder = Folder::new();
    let sample = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../examples/data/real-sample.marlin"
    );
    let split = "--train t --validation v --test u --validation-share 0.1 --test-share 0.2";
    // The sample is not part of the package.
    if fs::exists(sample).unwrap() {
        let ran = folder.run(&format!("split {sample} {split}")).succeeded();
        assert!(
            ran.stderr.contains("v: ") && ran.stderr.contains(", 2739 games\n"),
            "{}",
            ran.stderr
        );
        assert!(!ran.stderr.contains("NOT"), "{}", ran.stderr);
    }
    folder.write("a.marlin", GOLDEN);
    folder
        .run("shuffle a.marlin -o shuffled.marlin")
        .succeeded();
    let ran = folder.run(&format!("split shuffled.marlin {split} --by game -f"));
    ran.failed(1, "the files do not tell games: ");
    let ran = folder
        .run(&format!("split shuffled.marlin {split} -f"))
        .succeeded();
    assert!(
        ran.stderr.starts_with("split by position, NOT by game"),
        "{}",
        ran.stderr
    );
    let parts = ["t", "v", "u"].map(|part| folder.read(part)).concat();
    assert_eq!(sorted(&parts), sorted(GOLDEN));
}
