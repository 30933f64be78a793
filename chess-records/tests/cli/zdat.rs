//! What the tool does with `.zdat` files.

use std::fs;

use crate::support::{Folder, golden, json, with_formats};
use chess_records::{GameResult, MarlinView, Score};
use serde_json::Value;

fn expected_zdat(name: &str) -> Vec<Value> {
    let path = golden(&format!("zdat/valid/{name}.zdat.expected.jsonl"));
    let lines = fs::read_to_string(path).unwrap();
    lines.lines().map(json).collect()
}

#[test]
fn zdat_is_told_with_index_layout_and_licence() {
    let folder = with_formats();
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
    let folder = with_formats();
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
