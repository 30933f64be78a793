//! What is said of a run: reports and pictures.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Folder, succeed};

fn assert_is_svg(path: &Path) {
    let text = fs::read_to_string(path).unwrap();
    let document = roxmltree::Document::parse(&text).unwrap();
    assert_eq!(document.root_element().tag_name().name(), "svg");
}

#[test]
fn validation_says_what_the_report_says() {
    let folder = Folder::new();
    let [some, more, out] = ["some.marlin", "more.marlin", "run"].map(|name| folder.text(name));
    let arguments = [
        "train",
        "--data",
        &some,
        "--held-out",
        &more,
        "--out",
        &out,
        "--hidden=16",
        "--epochs=2",
        "--batch-size=64",
        "--max-score-cp=1000",
        "--json",
        "--quiet",
    ];
    let [end, _] = succeed(&arguments);
    let end: Value = serde_json::from_str(&end).unwrap();
    let report = folder.read_text("run/report.md");
    for (start, count) in [("| 1 | ", 1), ("| 2 | ", 1), ("Mean loss over ", 1)] {
        let lines = report.lines().filter(|line| line.starts_with(start));
        assert_eq!(lines.count(), count, "{start}: {report}");
    }
    for text in [
        "some.marlin",
        "max_score_cp = 1000",
        "](losses.svg)",
        "](calibration.svg)",
    ] {
        assert!(report.contains(text), "{text}: {report}");
    }
    assert_is_svg(&folder.path("run/losses.svg"));
    assert_is_svg(&folder.path("run/calibration.svg"));

    let (net, parameters) = (
        folder.text("run/network.nnue"),
        folder.text("run/parameters.safetensors"),
    );
    let of_files = [
        "validate",
        &net,
        "--data",
        &more,
        "--training",
        &some,
        "--max-score-cp=1000",
        "--parameters",
        &parameters,
    ];
    let checkpoint = fs::read_dir(folder.path("run"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let checkpoint = checkpoint.filter(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with("checkpoint-")
    });
    let last = checkpoint.max().unwrap();
    let of_run = [
        "validate",
        &net,
        "--run",
        &out,
        "--parameters",
        last.to_str().unwrap(),
    ];
    for arguments in [&of_files[..], &of_run] {
        let [text, _] = succeed(arguments);
        let tables = report.split("```text\n").skip(1);
        let mut tables = tables.map(|rest| rest.split("```").next().unwrap());
        let [audit, calibration] = [(); 2].map(|()| tables.next().unwrap());
        assert!(text.contains(audit), "{text}\n{audit}");
        assert!(text.contains(calibration), "{text}\n{calibration}");
        let [text, _] = succeed(&[arguments, &["--json"]].concat());
        let found: Value = serde_json::from_str(&text).unwrap();
        for key in [
            "audit",
            "calibration",
            "calibration_error",
            "beats_baselines",
        ] {
            assert_eq!(found[key], end["examination"][key], "{key}");
        }
        assert_eq!(found["eval_scale"], end["eval_scale"]);
    }
    // Another network, without its parameters, and another way to make targets.
    let [text, _] = succeed(&["validate", &folder.text("run/best.nnue"), "--data", &more]);
    assert!(!text.contains("floating point"), "{text}");
    let [text, _] = succeed(&["validate", &net, "--data", &more, "--scale=400"]);
    assert!(
        text.contains("WARNING: eval scale 400 is asked for"),
        "{text}"
    );
}
