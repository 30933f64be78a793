//! Two months from a hub that makes mistakes to packs, by the tool, killed on the way.
#![cfg(all(feature = "corpus", feature = "cli"))]
#![allow(clippy::unwrap_used, missing_docs)]

mod hub_stand_in;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use chess_tokens::corpus::{Manifest, Month, Session, SessionOptions};
use hub_stand_in::{Fault, REPO, StandIn};

const MONTHS: [&str; 2] = ["2025-05", "2025-06"];
/// Files of a month.
const SHARDS: usize = 10;
/// Games of a file.
const GAMES: usize = 50;
const KILLS: usize = 10;
/// What a run does, in order: stages, and the folders in which they are first at work.
const STAGES: [(&str, &str); 5] = [
    ("fetch", "fetch/year=2025/month=05"),
    ("uci", "uci/year=2025/month=05"),
    ("databases", "databases/masters"),
    ("elo-bins", "elo-bins"),
    ("packs", "packs"),
];

fn games() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/games.pgn.zst")
}

/// Two months in the hub's layout.
fn dataset(folder: &Path) {
    let session = Session::new(&SessionOptions::new().threads(1)).unwrap();
    let ctx = session.ordered();
    session.register_games(&ctx, "games", &[games()]).unwrap();
    for (month, text) in MONTHS.iter().enumerate() {
        let folder = text.parse::<Month>().unwrap().folder(folder.join("data"));
        fs::create_dir_all(&folder).unwrap();
        for shard in 0..SHARDS {
            let path = folder.join(format!("train-{shard:05}-of-{SHARDS:05}.parquet"));
            let first = (month * SHARDS + shard) * GAMES;
            // Games of databases have no time control.
            let columns = "* EXCEPT (\"TimeControl\"), \
                CASE \"TimeControl\" WHEN '-' THEN '600+0' ELSE \"TimeControl\" END AS \"TimeControl\"";
            let sql = format!(
                "COPY (SELECT {columns} FROM games LIMIT {GAMES} OFFSET {first}) TO '{}' STORED AS PARQUET",
                path.display()
            );
            session
                .query(&ctx, &sql)
                .unwrap()
                .for_each(|batch| drop(batch.unwrap()));
        }
    }
}

/// A description of everything that there is, in a folder of its own.
fn describe(folder: &Path, endpoint: &str) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    let text = format!(
        "\
folder = \"corpus\"
months = [\"2025-05..2025-06\"]
[session]
threads = 2
memory_mib = 64
batch_rows = 32
[fetch]
dataset = \"{REPO}\"
endpoint = \"{endpoint}\"
limit = 250
first_delay_ms = 1
[filter]
min_elo = 1000
min_base_seconds = 61
[[database]]
name = \"masters\"
files = [\"{}\"]
[elo_bins]
min_bin = 1000
max_bin = 2400
n_per_bin = 20
[pack]
scheme = \"uci\"
val_month = \"2025-06\"
val_games = 50
",
        games().display()
    );
    let path = folder.join("pipeline.toml");
    fs::write(&path, text).unwrap();
    path
}

fn tool(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chess-tokens"));
    // No token of whoever runs this.
    command
        .args(arguments)
        .env("HF_HOME", "/nowhere")
        .env_remove("HF_TOKEN");
    command
}

fn output(arguments: &[&str]) -> Output {
    tool(arguments).output().unwrap()
}

/// Standard error goes to a file beside the description.
fn start(description: &Path) -> Child {
    let said = fs::File::create(description.with_extension("said")).unwrap();
    let mut command = tool(&["run", description.to_str().unwrap()]);
    command.stderr(said).stdout(Stdio::null()).spawn().unwrap()
}

fn run(description: &Path) -> String {
    let output = output(&["run", description.to_str().unwrap()]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    said
}

/// All files, by their paths in the folder.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_path_buf();
                files.insert(name, fs::read(path).unwrap());
            }
        }
    }
    files
}

/// The same for whoever is asked first.
fn make_mistakes(hub: &StandIn) {
    hub.page_items(7);
    let wait = vec![("Retry-After", "0".to_owned())];
    hub.fault("/tree/", 1, Fault::Status(503, Vec::new(), "busy"));
    hub.fault("00001-of", 2, Fault::Status(429, wait, "too many"));
    hub.fault("00002-of", 1, Fault::Status(429, Vec::new(), "too many"));
    hub.fault(
        "/raw/data/year=2025/month=05/train-00003",
        2,
        Fault::DropAfter(3000),
    );
    hub.fault(
        "/raw/data/year=2025/month=06/train-00004",
        1,
        Fault::WrongByte,
    );
    hub.fault("00005-of", 1, Fault::Silence(Duration::from_millis(20)));
    // Of each month, as of those before.
    hub.fault(
        "/raw/data/year=2025/month=05/train-00000",
        2,
        Fault::Longer(7),
    );
}

/// Numbers that are the same each time.
struct Moments(u64);

impl Moments {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below.max(1)
    }
}

#[test]
fn killed_at_ten_moments_it_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("hub");
    dataset(&data);
    let hub = StandIn::start(&data);
    let undisturbed = describe(&folder.path().join("undisturbed"), &hub.endpoint());
    let begun = Instant::now();
    run(&undisturbed);
    let whole = begun.elapsed().as_millis() as u64;
    let expected = files(&folder.path().join("undisturbed/corpus"));
    check(&folder.path().join("undisturbed/corpus"));

    let mut moments = Moments(2025);
    let (mut kills, mut rounds) = (0, 0);
    let mut hit = BTreeSet::new();
    while kills < KILLS || hit.len() < 3 {
        rounds += 1;
        assert!(rounds < 12, "{kills} kills, of {hit:?} only");
        let here = folder.path().join(format!("killed-{rounds}"));
        let description = describe(&here, &hub.endpoint());
        make_mistakes(&hub);
        let check = |succeeded: bool| {
            let said = fs::read_to_string(description.with_extension("said")).unwrap();
            assert!(succeeded, "round {rounds}: {said}");
        };
        // Each stage has its turn, at a moment of its own; then the rest is let go on.
        for (_, stage) in STAGES {
            let mut child = start(&description);
            if !is_reached(&mut child, &here.join("corpus").join(stage)) {
                break;
            }
            thread::sleep(Duration::from_millis(moments.next(whole / 40)));
            if child.try_wait().unwrap().is_some() {
                break;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
            hit.extend(stage_at(&here.join("corpus")));
        }
        let mut child = start(&description);
        check(child.wait().unwrap().success());
        let found = files(&here.join("corpus"));
        assert_eq!(
            found.keys().collect::<Vec<_>>(),
            expected.keys().collect::<Vec<_>>()
        );
        for (name, bytes) in &expected {
            assert!(
                found[name] == *bytes,
                "{} of round {rounds}",
                name.display()
            );
        }
    }
}

/// Waits until a stage is at work in a folder; false if the process ends before.
fn is_reached(child: &mut Child, folder: &Path) -> bool {
    while !folder.join(Manifest::FILE_NAME).exists() {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        thread::sleep(Duration::from_millis(1));
    }
    true
}

/// The stage that a killed run was at, if there was anything left to do.
fn stage_at(corpus: &Path) -> Option<&'static str> {
    let is_unfinished = |folder: &&str| {
        let folder = corpus.join(folder);
        folder.join(Manifest::FILE_NAME).exists() && Manifest::finished(folder).is_err()
    };
    let june = [
        ("fetch", "fetch/year=2025/month=06"),
        ("uci", "uci/year=2025/month=06"),
    ];
    let mut stages = STAGES.iter().chain(&june);
    let found = stages.find(|(_, folder)| is_unfinished(folder));
    found.map(|&(stage, _)| stage)
}

/// What must be there at the end.
fn check(corpus: &Path) {
    let manifest = |folder: &str| {
        let folder = corpus.join(folder);
        let manifest = Manifest::finished(&folder).unwrap();
        manifest.verify(&folder).unwrap();
        manifest
    };
    let may = manifest("fetch/year=2025/month=05");
    assert_eq!(may.counts.kept, 250);
    // The last files were not needed.
    assert!(may.inputs.len() < SHARDS);
    let uci = manifest("uci/year=2025/month=06");
    let packs = manifest("packs");
    let masters = manifest("databases/masters");
    let counts =
        [&uci, &manifest("uci/year=2025/month=05"), &masters].map(|manifest| manifest.counts.kept);
    assert_eq!(packs.counts.kept, counts.iter().sum::<u64>());
    assert_eq!(packs.notes["val"]["kept"], 50);
    assert_eq!(masters.counts.read, 1000);
    assert!(manifest("elo-bins").counts.left_out["quota"] > 0);
    assert!(
        !corpus.join("fetch-shards").exists() || files(&corpus.join("fetch-shards")).is_empty()
    );
    assert!(files(&corpus.join(".spill")).is_empty());
}

#[test]
fn what_the_tool_says() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("hub");
    dataset(&data);
    let hub = StandIn::start(&data);
    let description = describe(folder.path(), &hub.endpoint());
    let path = description.to_str().unwrap();
    let plan = |more: &[&str]| {
        let output = output(&[&["run", path, "--dry-run"], more].concat());
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let begins = plan(&[]);
    assert_eq!(begins.matches(": begins\n").count(), 7, "{begins}");
    assert!(!folder.path().join("corpus").exists());
    assert!(begins.contains("WHERE \"WhiteElo\" >= 1000 AND \"BlackElo\" >= 1000"));
    assert!(!folder.path().join("corpus/uci").exists());
    assert_eq!(hub.seen().len(), 0);

    let said = run(&description);
    assert_eq!(said.lines().count(), 7, "{said}");
    assert!(!said.contains("(was there)"));
    hub.forget_seen();
    let said = run(&description);
    assert_eq!(said.matches("(was there)").count(), 7, "{said}");
    assert_eq!(hub.seen().len(), 0);
    assert_eq!(plan(&["--json"]).matches("\"finished\"").count(), 7);

    let text = fs::read_to_string(&description).unwrap();
    fs::write(
        &description,
        text.replace("n_per_bin = 20", "n_per_bin = 21"),
    )
    .unwrap();
    let refused = output(&["run", path]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        said.ends_with(
            "made with other settings: n_per_bin was 20, is now 21; --overwrite begins anew\n"
        ),
        "{said}"
    );
    let planned = output(&["run", path, "--dry-run"]);
    assert_eq!(planned.status.code(), Some(2));
    let refusal = String::from_utf8(planned.stderr).unwrap();
    assert_eq!(said.lines().last(), Some(refusal.trim_end()));
    let planned = plan(&["--overwrite", "--json"]);
    assert_eq!(planned.matches("\"new\"").count(), 1, "{planned}");
    // What is the same stays: nothing is fetched once more.
    let anew = output(&["run", path, "--overwrite"]);
    let said = String::from_utf8(anew.stderr).unwrap();
    assert!(anew.status.success(), "{said}");
    assert_eq!(said.matches("(was there)").count(), 6, "{said}");
    assert_eq!(hub.seen().len(), 0);
    ask(&folder.path().join("corpus"));
}

#[test]
fn what_is_missing_is_told_before_anything_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let description = describe(folder.path(), "http://127.0.0.1:9");
    let text = fs::read_to_string(&description).unwrap();
    let missing = folder.path().join("missing.pgn");
    let refused = |text: String| {
        fs::write(&description, text).unwrap();
        let output = output(&["run", description.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!folder.path().join("corpus/fetch").exists(), "{said}");
        said
    };
    let name = missing.display().to_string();
    let other = text.replace(games().to_str().unwrap(), &name);
    let said = refused(other);
    assert!(said.contains(&format!("{name}: cannot be read")), "{said}");
    let said = refused(text.clone() + "extra = ['missing.pgn']\n");
    assert!(said.contains(&format!("{name}: cannot be read")), "{said}");
    let bpe = text.replace("scheme = \"uci\"", "scheme = 'bpe'\nbpe = 'missing.pgn'");
    let said = refused(bpe);
    assert!(said.contains(&name), "{said}");
    let fetch = text.find("[fetch]").unwrap()..text.find("[filter]").unwrap();
    let mut raw = text.clone();
    raw.replace_range(fetch, "[raw]\nfolder = 'missing.pgn'\n");
    let said = refused(raw);
    let month = missing.join("year=2025/month=05");
    assert!(said.contains(&month.display().to_string()), "{said}");
    let said = refused(text.replace("limit = 250", "limit = 0"));
    let expected = "pipeline.toml: line 10, fetch.limit: settings make no sense: limit is 0, \
        expected at least 1 game\n";
    assert!(said.ends_with(expected), "{said}");
}

#[test]
fn whoever_reads_no_more_of_an_answer_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    for format in ["csv", "json"] {
        let question = "SELECT * FROM generate_series(1, 3000000)";
        let corpus = folder.path().to_str().unwrap();
        let mut asked = tool(&["sql", corpus, question, "--format", format]);
        let asked = asked.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut asked = asked.spawn().unwrap();
        drop(asked.stdout.take());
        let output = asked.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        assert!(output.status.success(), "{format}");
    }
}

fn ask(corpus: &Path) {
    let sql = |arguments: &[&str]| {
        let corpus = corpus.to_str().unwrap();
        let output = output(&[&["sql", corpus], arguments].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        (String::from_utf8(output.stdout).unwrap(), said)
    };
    let (months, said) = sql(&[
        "SELECT year, month, count(*) AS n FROM fetch GROUP BY ALL ORDER BY 1, 2",
        "--format",
        "csv",
    ]);
    assert!(
        months.starts_with("year,month,n\n2025,5,250\n2025,6,"),
        "{months}{said}"
    );
    let (labels, said) = sql(&[
        "SELECT DISTINCT year, month FROM uci ORDER BY month",
        "--format=csv",
    ]);
    assert_eq!(labels, "year,month\n2025,2025-05\n2025,2025-06\n", "{said}");
    let question =
        "SELECT token_ids(uci, white_elo, black_elo, result) AS ids FROM elo_bins LIMIT 1";
    let (tokens, said) = sql(&[question, "--format", "json"]);
    let is_game = tokens.starts_with("{\"ids\":[1,") && tokens.ends_with(",2]}\n");
    assert!(is_game, "{tokens}{said}");
    let (nothing, said) = sql(&["SELECT * FROM nowhere"]);
    assert_eq!(nothing, "");
    assert!(
        said.contains("'nowhere' not found") || said.contains("nowhere"),
        "{said}"
    );
}
