use std::error::Error;

use super::*;

const EXAMPLE: &str = include_str!("../../../../examples/pipeline.toml");

/// The example with its `# option = value` lines too, those of [raw] apart.
fn with_all_options() -> String {
    let raw = EXAMPLE.find("# [raw]").unwrap();
    let end = raw + EXAMPLE[raw..].find("\n\n").unwrap();
    let text = [&EXAMPLE[..raw], &EXAMPLE[end..]].concat();
    let line = |line: &str| {
        let option = line
            .strip_prefix("# ")
            .filter(|option| option.contains(" = "));
        option.unwrap_or(line).to_owned() + "\n"
    };
    let text: String = text.lines().map(line).collect();
    // What cannot be together with scheme "uci".
    text.replace("scheme = \"uci\"", "scheme = \"bpe\"")
}

#[test]
fn the_example_has_every_option_and_shows_defaults() {
    let config = PipelineConfig::parse(EXAMPLE).unwrap();
    assert_eq!(config.filter, Filter::default());
    assert_eq!(config.uci, ToUci::default());
    assert_eq!(config.bins(), Some(EloBins::default()));
    let fetch = FetchConfig {
        limit: Some(5_000_000),
        ..FetchConfig::default()
    };
    assert_eq!(config.fetch, Some(fetch));
    assert_eq!(config.all_months().len(), 3);
    let all = PipelineConfig::parse(&with_all_options()).unwrap();
    assert_eq!(all.session.threads, Some(8));
    // Every field is written, as there is none without a value.
    let written = serde_json::to_value(&all).unwrap();
    assert_eq!(nulls("", &written), ["raw"]);
    let raw = "folder = 'c'\nmonths = ['2025-05']\n[raw]\nfolder = 'downloads'\nlimit = 7";
    let raw = PipelineConfig::parse(raw).unwrap().raw.unwrap();
    assert_eq!(raw.limit, Some(7));
    assert!(EXAMPLE.contains("# [raw]\n# folder = \"downloads\"\n# limit = "));
}

fn nulls(name: &str, value: &serde_json::Value) -> Vec<String> {
    match value {
        serde_json::Value::Null => vec![name.into()],
        serde_json::Value::Object(map) => map
            .iter()
            .flat_map(|(name, value)| nulls(name, value))
            .collect(),
        _ => Vec::new(),
    }
}

#[test]
fn paths_are_those_seen_from_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipeline.toml");
    fs::write(&path, with_all_options()).unwrap();
    let config = PipelineConfig::read(&path).unwrap();
    assert_eq!(config.folder, folder.path().join("corpus"));
    assert_eq!(
        config.databases[0].files[1],
        folder.path().join("elite/lichess_elite_2025-06.zip")
    );
    assert_eq!(
        config.pack.unwrap().bpe,
        Some(folder.path().join("bpe.json"))
    );
    assert_eq!(
        config.session.spill,
        Some(folder.path().join("corpus/.spill"))
    );
    let missing = folder.path().join("missing.toml");
    let error = PipelineConfig::read(&missing).unwrap_err().to_string();
    assert_eq!(error, format!("{}: cannot be read", missing.display()));
}

#[test]
fn descriptions_that_make_no_sense() {
    let error = |text: &str| {
        let text = format!("folder = 'c'\n{text}");
        match PipelineConfig::parse(&text).unwrap_err() {
            ConfigError::At { source, .. } => source.to_string(),
            error => error.to_string(),
        }
    };
    assert_eq!(
        error("months = ['2025-13']"),
        "is no description of a pipeline"
    );
    for unknown in [
        "x = 1",
        "[fetch]\nlimits = 1",
        "[filter]\nmin_elos = 1",
        "[uci]\nx = 1",
        "[elo_bins]\nx = 1",
        "[session]\nmemory = 1",
    ] {
        assert_eq!(
            error(unknown),
            "is no description of a pipeline",
            "{unknown}"
        );
    }
    assert_eq!(error("[uci]\nmin_plies = 400"), "settings make no sense");
    assert_eq!(
        error("[elo_bins]\nseed = 1\nbin_width = 0"),
        "settings make no sense"
    );
    assert_eq!(
        error("months = ['2025-05', '2025-04..2025-06']"),
        "month 2025-05 is there twice"
    );
    assert_eq!(
        error("months = ['2025-05']\n[fetch]\n[raw]\nfolder = 'r'"),
        "there are [fetch] and [raw], expected one of them"
    );
    assert_eq!(
        error("months = ['2025-05']"),
        "there are months and neither [fetch] nor [raw], expected one of them"
    );
    assert_eq!(
        error("[fetch]"),
        "there are no months and no [[database]], expected some"
    );
    let database =
        |name: &str, files: &str| format!("[[database]]\nname = '{name}'\nfiles = [{files}]\n");
    assert_eq!(
        error(&database("../x", "'a'")),
        "database \"../x\", expected letters, digits, - and _"
    );
    assert_eq!(error(&database("x", "")), "database x has no files");
    let good = database("x", "'a'");
    assert_eq!(error(&format!("{good}{good}")), "database x is there twice");
    let pack = |text: &str| error(&format!("{good}[pack]\n{text}"));
    assert_eq!(pack("scheme = 'xml'"), "the scheme is none");
    let bpe = "bpe is a trained tokenizer for the scheme bpe, and for no other";
    assert_eq!(pack("scheme = 'bpe'"), format!("scheme bpe: {bpe}"));
    assert_eq!(
        pack("scheme = 'uci'\nbpe = 'x'"),
        format!("scheme uci: {bpe}")
    );
    assert_eq!(
        pack("scheme = 'uci'\nval_month = '2025-05'"),
        "val_month 2025-05 is not among the months"
    );
    assert_eq!(
        pack("scheme = 'uci'\nval_games = 5"),
        "there are val_games and no val_month"
    );
    let months = "months = ['2025-05']\n[fetch]\n[elo_bins]\n[pack]\n";
    assert_eq!(
        error(&format!("{months}scheme = 'uci'\nval_month = '2025-05'")),
        "there are no games to draw: those of 2025-05 are to validate with"
    );
    assert_eq!(
        pack("scheme = 'uci'\ntrain = 'elo-bins'"),
        "train is elo-bins, and there is no [elo_bins]"
    );
    PipelineConfig::parse(&format!("folder = 'c'\n{good}[pack]\nscheme = 'san'")).unwrap();
}

#[test]
fn errors_tell_line_and_option() {
    let place = |text: &str| match PipelineConfig::parse(text).unwrap_err() {
        ConfigError::At { line, option, .. } => format!("{line} {option}"),
        error => error.to_string(),
    };
    let months = "folder = 'c'\nmonths = [\n  '2025-05',\n]\n[raw]\nfolder = 'r'\n";
    let with = |text: &str| place(&format!("{months}{text}"));
    assert_eq!(
        with("[uci]\nmax_plies = 40\nmin_plies = 41"),
        "9 uci.min_plies"
    );
    assert_eq!(with("limit = 0"), "7 raw.limit");
    assert_eq!(with("[filter]\nmax_elo = 1"), "8 filter.max_elo");
    assert_eq!(
        with("[elo_bins]\n\nseed = 1\nn_per_bin = 0"),
        "10 elo_bins.n_per_bin"
    );
    // The limit at fault is that of the default.
    assert_eq!(with("[elo_bins]\nmax_bin = 100"), "7 elo_bins.min_bin");
    let inline = "folder = 'c'\nuci = { min_plies = 400 }";
    assert_eq!(place(inline), "2 uci.min_plies");
    let database = "[[database]]\nname = 'x'\nfiles = ['a']\n";
    let twice = with(&format!("{database}{database}"));
    assert_eq!(twice, "11 database.name");
    assert_eq!(with("[pack]\nscheme = 'xml'"), "8 pack.scheme");
    assert_eq!(
        with("[pack]\nscheme = 'san'\nval_games = 2"),
        "9 pack.val_games"
    );
    assert_eq!(with("[fetch]"), "5 raw");
    assert_eq!(place("folder = 'c'\nmonths = ['2025-05']"), "2 months");
    // There is no option to be pointed at.
    let none = "there are no months and no [[database]], expected some";
    assert_eq!(place("folder = 'c'"), none);
}

#[test]
fn errors_of_a_file_name_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipeline.toml");
    let error = |text: &str| {
        fs::write(&path, text).unwrap();
        let error = PipelineConfig::read(&path).unwrap_err();
        assert_eq!(error.to_string(), path.display().to_string());
        let mut source = error.source();
        let mut said = Vec::new();
        while let Some(error) = source {
            said.push(error.to_string());
            source = error.source();
        }
        said
    };
    assert_eq!(
        error("folder = 'c'\nmonths = ['2025-05']"),
        [
            "line 2, months",
            "there are months and neither [fetch] nor [raw], expected one of them"
        ]
    );
    let said = error("folder = 'c'\n[uci]\nx = 1");
    assert_eq!(said[0], "is no description of a pipeline");
    assert!(said[1].starts_with("TOML parse error at line 3, column 1\n"));
}
