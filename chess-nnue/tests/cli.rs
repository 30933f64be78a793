//! The tool `chess-nnue`, as its users start it.

#![allow(clippy::unwrap_used)] // a test fails by panicking

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use chess_nnue::{Activation, Architecture, Network, Weights};
use chess_records::{GameResult, Label, LabelledPosition, MarlinRecord, Position, Score};
use serde_json::Value;
use tempfile::TempDir;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const BARE: &str = "4k3/8/8/8/8/8/PPPP4/4K3 b - - 0 1";

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

fn start(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chess-nnue"));
    command.args(arguments).output().unwrap()
}

/// The output of a run that succeeds.
fn succeed(arguments: &[&str]) -> String {
    let output = start(arguments);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {error}");
    assert_eq!(error, "");
    String::from_utf8(output.stdout).unwrap()
}

/// The error text of a run that ends with this exit code and has written nothing.
fn fail(code: i32, arguments: &[&str]) -> String {
    let output = start(arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "");
    String::from_utf8(output.stderr).unwrap()
}

fn json(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A folder with a network of the own format and a marlinformat file.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        network(3).save(folder.path("a.nnue")).unwrap();
        network(4).save(folder.path("b.nnue")).unwrap();
        fs::write(folder.path("few.marlin"), records().as_flattened()).unwrap();
        folder
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }
}

fn network(step: i16) -> Network {
    let architecture = Architecture::new(16).unwrap();
    let mut weights = Weights::zero(&architecture);
    for (index, weight) in weights.feature_weights.iter_mut().enumerate() {
        // The first hidden value is dead, the second saturated.
        *weight = match index % 16 {
            0 => -1,
            1 => 0,
            _ => (index as i16 % 37 - 17) * step,
        };
    }
    weights.feature_biases[1] = 255;
    for (index, weight) in weights.output_weights.iter_mut().enumerate() {
        *weight = index as i16 * 7 % 40 - 11;
    }
    Network::new(architecture, &weights).unwrap()
}

fn records() -> Vec<[u8; 32]> {
    let fens = [
        START,
        BARE,
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    ];
    let record = |fen| {
        let labelled = LabelledPosition {
            position: Position::from_fen(fen).unwrap(),
            label: Label::new(Some(Score::Centipawns(1)), Some(GameResult::Draw)),
        };
        MarlinRecord::encode(&labelled, 0).unwrap().to_bytes()
    };
    fens.map(record).to_vec()
}

#[test]
fn eval_draws_a_board_and_gives_both_scores() {
    let folder = Folder::new();
    let text = succeed(&["eval", &folder.path("a.nnue"), "--fen", BARE, START]);
    let score = network(3).evaluate(&Position::from_fen(BARE).unwrap());
    assert_ne!(score, 0);
    let expected = format!(
        " 8  . . . . k . . .
 7  . . . . . . . .
 6  . . . . . . . .
 5  . . . . . . . .
 4  . . . . . . . .
 3  . . . . . . . .
 2  P P P P . . . .
 1  . . . . K . . .
    a b c d e f g h
   {BARE}
   Black to move
   {score:+} cp for the mover, {:+} cp for White
   (*) a search should use another evaluation here

 8  r n b q k b n r
",
        -score
    );
    assert!(text.starts_with(&expected), "{text}");
    assert_eq!(text.matches("(*)").count(), 1);
}

#[test]
fn eval_agrees_with_the_golden_scores() {
    let lines = fs::read_to_string(golden("net.expected.jsonl")).unwrap();
    let of_net = |line: &Value| line["net"] == "net-random-64.bin";
    let expected: Vec<_> = json(&lines).into_iter().filter(of_net).collect();
    let fens = expected.iter().map(|line| line["fen"].as_str().unwrap());
    let folder = Folder::new();
    let file = folder.path("fens.txt");
    let lines = fens.map(|fen| format!("{fen} | 12 | 0.5\n\n"));
    fs::write(&file, lines.collect::<String>()).unwrap();
    let net = golden("net-random-64.bin");
    for activation in ["screlu", "crelu"] {
        let text = succeed(&[
            "eval",
            net.to_str().unwrap(),
            "--activation",
            activation,
            "--eval-scale=400",
            "--json",
            "--file",
            &file,
        ]);
        let found = json(&text);
        assert_eq!(found.len(), 150);
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found["score_mover_cp"], expected[activation]);
            let mover = found["score_mover_cp"].as_i64().unwrap();
            let black = found["fen"].as_str().unwrap().contains(" b ");
            let white = if black { -mover } else { mover };
            assert_eq!(found["score_white_cp"], white);
        }
    }
}

#[test]
fn eval_reads_networks_with_buckets() {
    let lines = fs::read_to_string(golden("net.expected.jsonl")).unwrap();
    let of_net = |line: &Value| line["net"] == "net-buckets-16.bin";
    let expected = json(&lines).into_iter().find(of_net).unwrap();
    let shapes: Value = serde_json::from_slice(&fs::read(golden("nets.json")).unwrap()).unwrap();
    let mut shapes = shapes.as_array().unwrap().iter();
    let shape = shapes.find(|shape| shape["net"] == "net-buckets-16.bin");
    let map = shape.unwrap()["king_map"].as_array().unwrap();
    let map: Vec<_> = map.iter().map(Value::to_string).collect();
    let folder = Folder::new();
    let map_file = folder.path("map.txt");
    fs::write(&map_file, map.join("\n")).unwrap();
    let net = golden("net-buckets-16.bin");
    let mut arguments = vec!["eval", net.to_str().unwrap(), "--activation=screlu"];
    arguments.extend(["--eval-scale=400", "--hidden=16", "--mirrored"]);
    arguments.extend(["--output-buckets=8", "--json"]);
    arguments.extend(["--fen", expected["fen"].as_str().unwrap()]);
    for map in [map.join(","), map_file] {
        let mut arguments = arguments.clone();
        arguments.extend(["--king-map", &map]);
        let found = &json(&succeed(&arguments))[0];
        assert_eq!(found["score_mover_cp"], expected["screlu"]);
    }
    let error = fail(1, &[&arguments[..], &["--king-map", "1,2"]].concat());
    assert!(error.ends_with("the king map has 2 numbers, expected 64\n"));
}

#[test]
fn eval_reads_records() {
    let folder = Folder::new();
    let text = succeed(&[
        "eval",
        &folder.path("a.nnue"),
        "--file",
        &folder.path("few.marlin"),
    ]);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(lines[1].ends_with(START));
    assert!(lines[2].ends_with(&format!("{BARE} (*)")));
}

#[test]
fn wrong_command_lines_end_with_2() {
    for arguments in [
        &[][..],
        &["evaluate"],
        &["eval", "net.nnue"],
        &["convert", "a"],
        &["train"],
        &["train", "--data", "a.marlin", "--device", "tpu"],
        &["resume"],
        &["validate", "a"],
        &["validate", "a", "--data", "b", "--run", "c"],
        &["compare", "a", "b"],
        &["inspect", "a", "--activation", "relu"],
    ] {
        assert!(fail(2, arguments).contains("--help"), "{arguments:?}");
    }
}

#[test]
fn what_is_wrong_with_files_is_said_and_ends_with_1() {
    let folder = Folder::new();
    let (net, missing) = (folder.path("a.nnue"), folder.path("missing"));
    let error = fail(1, &["inspect", &missing]);
    assert!(error.starts_with(&format!(
        "chess-nnue: cannot read the network file {missing}: "
    )));
    let damaged = folder.path("damaged.nnue");
    let mut bytes = fs::read(&net).unwrap();
    bytes[1000] ^= 1;
    fs::write(&damaged, bytes).unwrap();
    let error = fail(1, &["inspect", &damaged]);
    assert!(error.starts_with(&format!(
        "chess-nnue: {damaged} is no usable network: checksum "
    )));
    let error = fail(1, &["eval", &net, "--fen", "nonsense"]);
    assert!(
        error.starts_with("chess-nnue: \"nonsense\" is no FEN: "),
        "{error}"
    );
    let fens = folder.path("fens.txt");
    fs::write(&fens, format!("{START}\n\n8/8 w - -\n")).unwrap();
    let output = start(&["eval", &net, "--file", &fens]);
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.starts_with(&format!("chess-nnue: {fens} line 3: ")),
        "{error}"
    );
    let error = fail(1, &["inspect", &net, "--hidden", "16"]);
    assert!(error.ends_with("says its shape itself, --hidden is not needed\n"));
    let bullet = golden("net-random-64.bin");
    let error = fail(1, &["inspect", bullet.to_str().unwrap()]);
    assert!(
        error.ends_with("say --activation and --eval-scale\n"),
        "{error}"
    );
}

#[test]
fn conversions_go_both_ways_and_overwrite_nothing() {
    let folder = Folder::new();
    let (own, again) = (folder.path("own.nnue"), folder.path("again.bin"));
    let bullet = golden("net-limit-64.bin");
    let bullet = bullet.to_str().unwrap();
    let options = ["--activation=crelu", "--eval-scale=160"];
    let arguments = [&["convert", bullet, &own][..], &options].concat();
    assert!(succeed(&arguments).ends_with(" bytes in the own format\n"));
    let network = Network::load(&own).unwrap();
    assert_eq!(network.architecture().activation(), Activation::Crelu);
    assert_eq!(network.architecture().eval_scale(), 160);

    let text = succeed(&["convert", &own, &again]);
    let options = "--hidden 64 --activation crelu --eval-scale 160 --qa 255 --qb 64";
    assert!(
        text.ends_with(&format!("to read it back: {options}\n")),
        "{text}"
    );
    assert_eq!(fs::read(&again).unwrap(), fs::read(bullet).unwrap());

    let before = folder.names();
    let rescale = ["convert", &own, &again, "--to=own", "--eval-scale=200"];
    let error = fail(1, &rescale);
    assert!(error.ends_with("again.bin is there already, --force overwrites it\n"));
    assert_eq!(fs::read(&again).unwrap(), fs::read(bullet).unwrap());
    succeed(&[&rescale[..], &["--force"]].concat());
    let rescaled = Network::load(&again).unwrap();
    assert_eq!(rescaled.architecture().eval_scale(), 200);
    assert_eq!(rescaled.weights(), network.weights());
    assert_eq!(folder.names(), before);
}

#[test]
fn a_failed_conversion_leaves_nothing() {
    let folder = Folder::new();
    let architecture = Architecture::new(16).unwrap();
    let mut weights = Weights::zero(&architecture);
    weights.output_biases[0] = 40_000;
    let network = Network::new(architecture, &weights).unwrap();
    network.save(folder.path("biased.nnue")).unwrap();
    let before = folder.names();
    let error = fail(
        1,
        &[
            "convert",
            &folder.path("biased.nnue"),
            &folder.path("out.bin"),
        ],
    );
    assert!(
        error.contains("is 40000, which does not fit 16 bits"),
        "{error}"
    );
    assert_eq!(folder.names(), before);
}

#[test]
fn inspect_says_what_a_network_is() {
    let folder = Folder::new();
    let (net, data) = (folder.path("a.nnue"), folder.path("few.marlin"));
    let text = succeed(&["inspect", &net, "--data", &data]);
    for line in [
        "file           the own format",
        "shape          (768 → 16)×2 → 1",
        "activation     SCReLU",
        "scales         QA 255, QB 64, eval scale 400 cp",
        "hidden values  16 bits are enough for every position",
        "  dead in every position: 1 (0)",
        "  saturated in every position: 1 (1)",
        "  saturated in 3 positions: 1 (1)",
        "first-layer weights: 12288, from -51 to 57",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    let object = &json(&succeed(&["inspect", &net, "--data", &data, "--json"]))[0];
    assert_eq!(object["hidden"], 16);
    assert_eq!(object["bits"]["sums"], 32);
    assert_eq!(object["neurons"]["dead"], serde_json::json!([0]));
    assert_eq!(object["neurons"]["sample"]["positions"], 3);
    assert_eq!(object["weights"]["output biases"]["zeros"], 1);
    let loud = golden("net-loud-32.bin");
    let options = ["--activation=screlu", "--eval-scale=400"];
    let text = succeed(&[&["inspect", loud.to_str().unwrap()][..], &options].concat());
    assert!(text.contains("hidden values  32 bits are enough for every position"));
}

#[test]
fn inspect_draws_weights() {
    let folder = Folder::new();
    let (net, svg) = (folder.path("a.nnue"), folder.path("weights.svg"));
    let arguments = ["inspect", &net, "--svg", &svg, "--svg-count=3"];
    succeed(&arguments);
    let drawing = fs::read_to_string(&svg).unwrap();
    assert!(drawing.starts_with("<svg xmlns=") && drawing.ends_with("</svg>\n"));
    assert_eq!(drawing.matches("<rect").count(), 1 + 3 * 768);
    fs::write(&svg, "mine").unwrap();
    let error = fail(1, &arguments);
    assert!(error.ends_with("weights.svg is there already, --force overwrites it\n"));
    assert_eq!(fs::read_to_string(&svg).unwrap(), "mine");
    succeed(&[&arguments[..], &["--force"]].concat());
    assert_eq!(fs::read_to_string(&svg).unwrap(), drawing);
}

#[test]
fn compare_measures_differences() {
    let folder = Folder::new();
    let (a, b, data) = (
        folder.path("a.nnue"),
        folder.path("b.nnue"),
        folder.path("few.marlin"),
    );
    let same = &json(&succeed(&["compare", &a, &a, "--data", &data, "--json"]))[0];
    assert_eq!((&same["positions"], &same["equal"]), (&3.into(), &3.into()));
    assert!((same["correlation"].as_f64().unwrap() - 1.0).abs() < 1e-12);
    assert_eq!(same["mean_absolute_difference_cp"], 0.0);

    let found = &json(&succeed(&["compare", &a, &b, "--data", &data, "--json"]))[0];
    let bytes = records();
    let scores: Vec<[i32; 2]> = bytes
        .iter()
        .map(|record| {
            let position = MarlinRecord::from_bytes(record).decode().unwrap();
            [network(3), network(4)].map(|network| network.evaluate(&position))
        })
        .collect();
    let differences = scores.iter().map(|[a, b]| b - a);
    let largest = differences.clone().max_by_key(|d| d.abs()).unwrap();
    assert_ne!(largest, 0);
    assert_eq!(found["largest"]["difference_cp"], largest);
    let mean = f64::from(differences.sum::<i32>()) / 3.0;
    assert!((found["mean_difference_cp"].as_f64().unwrap() - mean).abs() < 1e-9);
    let correlation = found["correlation"].as_f64().unwrap();
    assert!((correlation - pearson(&scores)).abs() < 1e-9);

    let text = succeed(&["compare", &a, &b, "--data", &data, "--limit=1"]);
    assert!(text.starts_with("positions                 1\n"), "{text}");
    assert!(text.contains("correlation               none, a score never changes\n"));
    assert!(text.ends_with(&format!("  in record 0: {START}\n")));
}

fn pearson(pairs: &[[i32; 2]]) -> f64 {
    let len = pairs.len() as f64;
    let mean = |side: usize| pairs.iter().map(|p| f64::from(p[side])).sum::<f64>() / len;
    let means = [mean(0), mean(1)];
    let product = |i: usize, j: usize| -> f64 {
        let deviation = |pair: &[i32; 2], side: usize| f64::from(pair[side]) - means[side];
        pairs
            .iter()
            .map(|p| deviation(p, i) * deviation(p, j))
            .sum()
    };
    product(0, 1) / (product(0, 0) * product(1, 1)).sqrt()
}

#[test]
fn compare_names_damaged_records() {
    let folder = Folder::new();
    let mut bytes = records();
    bytes[1][30] = 3;
    let data = folder.path("damaged.marlin");
    fs::write(&data, bytes.as_flattened()).unwrap();
    let net = folder.path("a.nnue");
    let error = fail(1, &["compare", &net, &net, "--data", &data]);
    assert!(error.contains("record 1 at byte 32"), "{error}");
}

#[test]
fn bench_times_every_instruction_set() {
    let folder = Folder::new();
    let text = succeed(&["bench", &folder.path("a.nnue"), "--time=8", "--json"]);
    let names: Vec<_> = chess_nnue::Backend::available().map(|b| b.name()).collect();
    let found = json(&text);
    let found_names: Vec<_> = found.iter().map(|line| line["backend"].clone()).collect();
    assert_eq!(found_names, names);
    for line in &found {
        assert!(line["push_evaluate_pop_ns"].as_f64().unwrap() > 0.0);
    }
    assert!(succeed(&["bench", "--time=8"]).contains("N = 256"));
}

#[test]
fn bench_without_a_file_takes_the_shape_it_is_told() {
    let arguments = [
        "bench",
        "--time",
        "8",
        "--hidden",
        "48",
        "--activation",
        "crelu",
    ];
    let text = succeed(&arguments);
    assert!(text.contains("N = 48"), "{text}");
    let error = fail(1, &["bench", "--hidden", "47"]);
    assert!(error.contains("hidden size 47"), "{error}");
}

#[test]
fn a_limit_needs_data() {
    let path = golden("net-random-64.bin");
    let error = fail(2, &["inspect", path.to_str().unwrap(), "--limit", "5"]);
    assert!(error.contains("--data"), "{error}");
}

#[test]
fn an_unknown_instruction_set_is_an_error() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chess-nnue"));
    command.args(["bench", "--time", "1"]);
    let output = command.env("CHESS_NNUE_BACKEND", "avx3").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    let expected = "chess-nnue: CHESS_NNUE_BACKEND is \"avx3\", expected one of portable";
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn help_teaches() {
    let help = succeed(&["--help"]);
    assert!(
        help.contains("Exit codes:") && help.contains("CHSNNUE1"),
        "{help}"
    );
    for (command, taught) in [
        ("eval", "learns nothing in training"),
        ("inspect", "A hidden value is dead if"),
        ("train", "A configuration file:"),
        ("resume", "byte for byte"),
        ("validate", "stands at the end as WARNING"),
        ("convert", "No weight of a network is"),
        ("bench", "Times are nanoseconds"),
        ("compare", "B less A"),
    ] {
        assert!(help.contains(command));
        let help = succeed(&[command, "--help"]);
        assert!(help.contains(&format!("Usage: chess-nnue {command}")));
        assert!(help.contains(taught), "{help}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_stops_is_no_failure() {
    use std::process::Stdio;
    let folder = Folder::new();
    let file = folder.path("many.txt");
    fs::write(&file, format!("{START}\n").repeat(20_000)).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_chess-nnue"))
        .args(["eval", &folder.path("a.nnue"), "--file", &file])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
