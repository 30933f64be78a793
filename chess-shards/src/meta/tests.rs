use super::*;
use std::error::Error;

const FLAT: &str = include_str!("../../tests/golden/flat/meta.json");

fn edited(edit: impl FnOnce(&mut Map<String, Value>)) -> String {
    let mut value: Map<String, Value> = serde_json::from_str(FLAT).unwrap();
    edit(&mut value);
    serde_json::to_string(&value).unwrap()
}

#[test]
fn goldens_are_written_as_they_were_read() {
    for text in [
        FLAT,
        include_str!("../../tests/golden/flat-iid/meta.json"),
        include_str!("../../tests/golden/flat-edge/meta.json"),
        include_str!("../../tests/golden/flat-edge-elo/meta.json"),
    ] {
        let meta = Meta::from_json(text).unwrap();
        assert_eq!(meta.to_json(), text);
        // The order of the fields is that of the reference.
        let built = Meta {
            key_order: Vec::new(),
            record_dtype: RecordDtype::flat(),
            ..meta
        };
        assert_eq!(built.to_json(), text);
    }
}

#[test]
fn values() {
    let meta = Meta::from_json(FLAT).unwrap();
    assert_eq!((meta.k, meta.seed, meta.num_samples), (4, 0, 728));
    assert_eq!(meta.splits.ids(SplitName::Train), [0, 3]);
    assert_eq!(meta.splits.ids(SplitName::Val), [1]);
    assert_eq!(meta.splits.ids(SplitName::Test), [2]);
    assert_eq!(meta.sample_mode, SampleMode::Unique);
    assert_eq!(meta.shard(3).unwrap().path, "shard_0003.npy");
    assert_eq!(meta.shard(4), None);
    let text = include_str!("../../tests/golden/flat-edge-elo/meta.json");
    let meta = Meta::from_json(text).unwrap();
    assert_eq!(meta.seed, (1 << 32) + 5);
    assert_eq!((meta.min_elo, meta.max_elo), (Some(1200), Some(2600)));
}

#[test]
fn unknown_keys_stay_where_they_are() {
    let text = FLAT.replacen(
        "  \"k\": 4,",
        "  \"build_note\": \"\\u00e9t\\u00e9 \\ud83d\\ude00\\u007f\\n\",\n  \"k\": 4,",
        1,
    );
    let text = text.replacen("\"path\"", "\"host\": null,\n      \"path\"", 1);
    let mut meta = Meta::from_json(&text).unwrap();
    assert_eq!(meta.other["build_note"], "été 😀\u{7f}\n");
    assert_eq!(meta.shards[0].other["host"], Value::Null);
    let written = meta.to_json();
    assert!(
        written.contains("\"build_note\": \"\\u00e9t\\u00e9 \\ud83d\\ude00\\u007f\\n\",\n  \"k\"")
    );
    meta.other.insert("more".into(), 1.into());
    assert!(meta.to_json().ends_with(",\n  \"more\": 1\n}"));
}

#[test]
fn bounds_may_be_left_out() {
    let text = FLAT.replacen("  \"min_elo\": null,\n", "", 1);
    assert_ne!(text, FLAT);
    let mut meta = Meta::from_json(&text).unwrap();
    assert_eq!(meta.min_elo, None);
    assert_eq!(meta.to_json(), text);
    meta.min_elo = Some(7);
    assert!(meta.to_json().ends_with(",\n  \"min_elo\": 7\n}"));
}

#[test]
fn files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(Meta::FILE_NAME);
    let text = |error: MetaReadError| error.to_string();
    assert_eq!(
        text(Meta::read(&path).unwrap_err()),
        format!("{}: cannot be read", path.display())
    );
    std::fs::write(&path, "{}").unwrap();
    let error = Meta::read(&path).unwrap_err();
    assert_eq!(error.to_string(), path.display().to_string());
    let meta = Meta::from_json(FLAT).unwrap();
    meta.write(&path).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), FLAT);
    assert_eq!(Meta::read(&path).unwrap(), meta);
    let long = MetaReadError::TooLong {
        path: "a".into(),
        most: 7,
    };
    assert_eq!(text(long), "a: has over 7 bytes");
}

#[test]
fn texts() {
    let text = |json: String| Meta::from_json(json).unwrap_err().to_string();
    assert_eq!(
        text(FLAT[..90].into()),
        "not the JSON that describes a set of shards"
    );
    let missing = Meta::from_json(edited(|value| {
        value.shift_remove("seed");
    }));
    assert_eq!(
        missing.unwrap_err().source().unwrap().to_string(),
        "missing field `seed`"
    );
    let set = |key: &str, found: Value| {
        text(edited(|value| {
            value[key] = found;
        }))
    };
    assert_eq!(
        set("format_version", 2.into()),
        "format_version is 2, expected 1"
    );
    assert_eq!(
        set("format_version", "1".into()),
        "format_version is \"1\", expected 1"
    );
    assert_eq!(set("legal_cap", 63.into()), "legal_cap is 63, expected 64");
    assert_eq!(
        set("pad_action", 0.into()),
        "pad_action is 0, expected 4672"
    );
    assert_eq!(
        set("num_samples", 729.into()),
        "num_samples is 729, but the shards have 728 together"
    );
    let nested = |pointer: &str, found: Value| {
        text(edited(|value| {
            let mut whole = Value::Object(std::mem::take(value));
            *whole.pointer_mut(pointer).unwrap() = found;
            *value = whole.as_object().unwrap().clone();
        }))
    };
    assert_eq!(
        nested("/record_dtype/itemsize", 201.into()),
        "record_dtype has itemsize 201, expected 202"
    );
    assert!(
        nested("/record_dtype/names/0", "board".into())
            .starts_with("record_dtype has names [\"board\", \"legal_idx\", ")
    );
    assert!(
        nested("/record_dtype/offsets/9", 199.into())
            .ends_with(" 197, 198, 199], expected [0, 64, 192, 193, 194, 195, 196, 197, 198, 200]")
    );
    assert_eq!(
        nested("/splits/val/0", 7.into()),
        "split val names shard 7, which is not among the shards"
    );
    assert_eq!(
        nested("/splits/test/0", 3.into()),
        "shard 3 is in split train and again in split test"
    );
    assert_eq!(
        nested("/shards/1/shard_id", 0.into()),
        "two shards have the id 0"
    );
    assert_eq!(
        nested("/shards/1/game_end", 3.into()),
        "the games of shard 1 are 46 to 3"
    );
    for path in ["shard_0001.npy", "shard_0001.npy/."] {
        assert_eq!(
            nested("/shards/3/path", path.into()),
            format!("shards 1 and 3 have one path, {path:?}")
        );
    }
    for path in ["", "../a.npy", "/a.npy", "a\\b.npy", "c:a.npy"] {
        assert_eq!(
            nested("/shards/2/path", path.into()),
            format!("shard 2 has the path {path:?}, expected one below the set's folder")
        );
    }
}
