//! Packs of tokens.

use std::sync::Arc;

use chess_records::npy::{Literal, to_bytes};
use chess_records::{Dataset, DatasetError};
use chess_tokens::dataset::{
    BudgetOrder, DocumentBatch, DocumentOptions, Fit, PackedDocuments, PaddedBatch, TokenBudget,
    WindowBatch, WindowMode, Windows,
};
use chess_tokens::pack::{Meta, TokenPack};
use chess_tokens::stats::PackStats;
use chess_tokens::tokenizer::PAD;

/// Takes the bytes for a `meta.json` of a pack. What is written for it must be read as the same.
pub fn pack_meta(data: &[u8]) {
    let Ok(meta) = Meta::from_json(data) else {
        return;
    };
    let text = meta.to_json();
    assert!(text.is_ascii() && text.ends_with("}\n"));
    let again = Meta::from_json(&text).expect("it was written");
    assert_eq!(again, meta);
    assert_eq!(again.to_json(), text);
}

/// Takes the bytes for a pack: the lengths of `meta.json` and `tokens.npy`, two bytes each, and the three
/// files. Whatever the pack holds must be found or refused.
pub fn pack(data: &[u8]) {
    let Some((&[a, b, c, d], files)) = data.split_first_chunk() else {
        return;
    };
    let (meta, rest) = split(files, u16::from_le_bytes([a, b]));
    let (tokens, starts) = split(rest, u16::from_le_bytes([c, d]));
    if let Ok(pack) = TokenPack::from_bytes(meta, tokens, starts) {
        check(Arc::new(pack), 5);
    }
}

fn split(data: &[u8], at: u16) -> (&[u8], &[u8]) {
    data.split_at(data.len().min(at.into()))
}

/// Takes the bytes for the numbers of a pack: how many tokens a window has, how many games there are, a
/// byte for each start, and the tokens, two bytes each.
pub fn windows(data: &[u8]) {
    let Some((&[block, games], rest)) = data.split_first_chunk() else {
        return;
    };
    let (starts, tokens) = split(rest, games.into());
    let starts: Vec<i64> = starts.iter().map(|&start| i64::from(start as i8)).collect();
    let tokens: Vec<u8> = tokens.as_chunks::<2>().0.as_flattened().to_vec();
    let (n_games, n_tokens) = (starts.len(), tokens.len() / 2);
    let hash = "0".repeat(64);
    let meta = format!(
        r#"{{"n_games": {n_games}, "n_tokens": {n_tokens}, "scheme": "uci", "vocab_size": 2030,
            "vocab_hash": "{hash}", "source": ""}}"#
    );
    let column = |descr: &str, rows: usize, data: Vec<u8>| {
        [to_bytes(&Literal::Text(descr.into()), &[rows as u64]), data].concat()
    };
    let starts = starts
        .iter()
        .flat_map(|start| start.to_le_bytes())
        .collect();
    let tokens = column("<u2", n_tokens, tokens);
    let starts = column("<i8", n_games, starts);
    if let Ok(pack) = TokenPack::from_bytes(meta, tokens, starts) {
        check(Arc::new(pack), usize::from(block) % 40 + 2);
    }
}

/// How many of anything are looked at.
const MOST: u64 = 100;

fn check(pack: Arc<TokenPack>, block: usize) {
    let is_sound = pack.verify().next().is_none();
    let games = 0..pack.len().min(MOST);
    let found: Vec<_> = games.map(|game| pack.game(game)).collect();
    for game in &found {
        match game {
            Ok(tokens) => assert!(!tokens.expect("it is in the pack").is_empty()),
            Err(fault) => assert!(!is_sound, "{fault}"),
        }
    }
    assert_eq!(pack.game(pack.len()), Ok(None));
    let ascend = pack.starts().is_sorted_by(|one, next| one < next);
    let stats = PackStats::of(&pack);
    assert_eq!(stats.is_ok(), ascend, "starts at both ends were looked at");
    if let Ok(stats) = stats {
        assert_eq!(
            (stats.games, stats.tokens),
            (pack.len(), pack.meta().n_tokens)
        );
        assert_eq!(stats.results.total(), pack.len());
    }
    for mode in [WindowMode::Games, WindowMode::Blocks] {
        windows_of(&pack, block, mode);
    }
    documents_of(&pack, block);
    batches_of(&pack);
}

/// Windows are what the format says, place by place.
fn windows_of(pack: &Arc<TokenPack>, block: usize, mode: WindowMode) {
    let windows =
        Windows::<i64>::new(Arc::clone(pack), block, mode).expect("block is large enough");
    let token = |at: usize| i64::from(pack.tokens().get(at).copied().unwrap_or(PAD));
    let mut batch = WindowBatch::default();
    for index in 0..windows.len().min(MOST) {
        let origin = match mode {
            WindowMode::Games => usize::try_from(pack.starts()[index as usize]).ok(),
            WindowMode::Blocks => Some(index as usize * block),
        };
        let origin = origin.filter(|&origin| origin < pack.tokens().len());
        match (windows.gather(&[index], &mut batch), origin) {
            (Ok(()), Some(origin)) => {
                for place in 0..block {
                    assert_eq!(batch.x()[place], token(origin + place));
                    let next = if place + 1 < block {
                        token(origin + place + 1)
                    } else {
                        0
                    };
                    assert_eq!(batch.y()[place], next);
                }
            }
            (Err(DatasetError::Record { .. }), None) => {}
            (gathered, origin) => panic!("window {index} from {origin:?}: {gathered:?}"),
        }
    }
}

/// Rows hold every token once.
fn documents_of(pack: &Arc<TokenPack>, block: usize) {
    for fit in [Fit::Next, Fit::Best { window: 3 }] {
        let options = DocumentOptions::new(block).fit(fit);
        let Ok(documents) = PackedDocuments::<u16>::new(Arc::clone(pack), options) else {
            return;
        };
        let rows: Vec<u64> = (0..documents.len()).collect();
        let mut batch = DocumentBatch::default();
        documents
            .gather(&rows, &mut batch)
            .expect("the rows are there");
        let places = batch.x().iter().zip(batch.documents());
        let there = places.filter(|&(_, &document)| document > 0);
        let mut found: Vec<u16> = there.map(|(&token, _)| token).collect();
        let mut expected = pack.tokens().to_vec();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
}

/// Batches hold every game once and are not over their budget.
fn batches_of(pack: &Arc<TokenPack>) {
    const BUDGET: usize = 300;
    for order in [BudgetOrder::Pack, BudgetOrder::Length { seed: 1 }] {
        let Ok(batches) = TokenBudget::<i32>::new(Arc::clone(pack), BUDGET, order) else {
            return;
        };
        let (mut games, mut batch) = (0, PaddedBatch::default());
        for index in 0..batches.len() {
            batches
                .gather(&[index], &mut batch)
                .expect("the batch is there");
            assert!(batch.rows() * batch.width() <= BUDGET);
            games += batch.rows() as u64;
        }
        assert_eq!(games, pack.len());
    }
}
