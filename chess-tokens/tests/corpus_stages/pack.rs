//! Months to packs.

use std::fs;
use std::sync::Arc;

use chess_tokens::corpus::stages::{CorpusPack, Stages};
use chess_tokens::tokenizer::UciTokenizer;

use crate::support::{golden, input, on, session};

#[test]
fn packs_hold_whole_months_and_the_rest_of_that_of_validation() {
    let folder = tempfile::tempdir().unwrap();
    let session = session(2);
    let games = input(&golden("uci.parquet"));
    let tokenizer: Arc<dyn chess_tokens::Tokenizer> = Arc::new(UciTokenizer::new());
    let plan = CorpusPack::default()
        .train(games.clone())
        .val(games.clone(), 50, true)
        .unwrap();
    let done = plan
        .run(Stages::new(&session), &tokenizer, folder.path(), &mut on)
        .unwrap();
    let kept = |pack: &str| done.manifest.notes[pack]["kept"].as_u64().unwrap();
    assert_eq!([kept("train"), kept("val")], [186 + 136, 50]);
    assert_eq!(done.manifest.counts.kept, 2 * 186);
    done.manifest.verify(folder.path()).unwrap();
    let source = |pack: &str| {
        let meta = fs::read(folder.path().join(pack).join("meta.json")).unwrap();
        serde_json::from_slice::<serde_json::Value>(&meta).unwrap()["source"].clone()
    };
    assert_eq!(
        source("train"),
        "golden/uci.parquet+golden/uci.parquet[50:186]"
    );
    assert_eq!(source("val"), "golden/uci.parquet[0:50]");
    // The tokens of a whole file are those of the reference's pack.
    let whole = folder.path().join("whole");
    let plan = CorpusPack::default().val(games, 0, true).unwrap();
    assert!(plan.train.is_empty());
    plan.run(Stages::new(&session), &tokenizer, &whole, &mut on)
        .unwrap();
    for name in ["tokens.npy", "starts.npy"] {
        let reference = golden("uci").join(name);
        assert!(fs::read(whole.join("val").join(name)).unwrap() == fs::read(reference).unwrap());
    }
    let tokens =
        |pack: &str| fs::read(folder.path().join(pack).join("tokens.npy")).unwrap()[128..].to_vec();
    let all = fs::read(golden("uci").join("tokens.npy")).unwrap()[128..].to_vec();
    let val = tokens("val");
    assert!(all.starts_with(&val));
    assert!(tokens("train") == [&all[..], &all[val.len()..]].concat());
}
