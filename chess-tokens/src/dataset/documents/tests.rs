use super::super::tests::{assert_blocks_hold_everything, dealt, pack, pack_with};
use super::*;
use chess_records::{Loader, LoaderConfig, Sampler, SamplerConfig};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::error::Error;

fn documents(lens: &[usize], options: DocumentOptions) -> PackedDocuments<u16> {
    PackedDocuments::new(pack(lens), options).unwrap()
}

fn all(documents: &PackedDocuments<u16>) -> DocumentBatch<u16> {
    let mut batch = DocumentBatch::default();
    let rows: Vec<u64> = (0..documents.len()).collect();
    documents.gather(&rows, &mut batch).unwrap();
    batch
}

#[test]
fn rows_of_whole_games() {
    let documents = documents(&[3, 4, 2], DocumentOptions::new(6));
    let batch = all(&documents);
    assert_eq!((batch.rows(), batch.block()), (2, 6));
    assert_eq!(batch.x(), [1, 1, 2, 1, 2, 0, 1, 1001, 1002, 2, 0, 0]);
    assert_eq!(batch.y(), [1, 2, 0, 2, 0, 0, 1001, 1002, 2, 0, 0, 0]);
    assert_eq!(batch.documents(), [1, 1, 1, 2, 2, 0, 1, 1, 1, 1, 0, 0]);
    assert_eq!(batch.positions(), [0, 1, 2, 0, 1, 0, 0, 1, 2, 3, 0, 0]);
    assert_eq!(documents.filled(), 0.75);
    assert_eq!(documents.row_len(), 6);
    assert_eq!(documents.game_start(0), None);
}

#[test]
fn the_next_games_in_their_order() {
    let options = DocumentOptions::new(6).fit(Fit::Next);
    let batch = all(&documents(&[3, 4, 2], options));
    assert_eq!(batch.x(), [1, 1, 2, 0, 0, 0, 1, 1001, 1002, 2, 1, 2]);
    assert_eq!(batch.documents(), [1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 2, 2]);
}

#[test]
fn long_games() {
    let options = DocumentOptions::new(4).fit(Fit::Next);
    let split = all(&documents(&[6, 2], options));
    assert_eq!(split.x(), [1, 1, 2, 3, 4, 2, 1, 2]);
    // Nothing is predicted across games, but across the pieces of one.
    assert_eq!(split.y(), [1, 2, 3, 4, 2, 0, 2, 0]);
    assert_eq!(split.documents(), [1, 1, 1, 1, 1, 1, 2, 2]);
    assert_eq!(split.positions(), [0, 1, 2, 3, 0, 1, 0, 1]);
    let cut = all(&documents(&[6, 2], options.long_games(LongGames::Cut)));
    assert_eq!(cut.x(), [1, 1, 2, 3, 1, 2, 0, 0]);
    assert_eq!(cut.y(), [1, 2, 3, 4, 2, 0, 0, 0]);
}

#[test]
fn an_empty_pack() {
    let none = documents(&[], DocumentOptions::new(4));
    assert!(none.is_empty());
    assert_eq!((none.block_count(), none.filled()), (0, 1.0));
}

#[test]
fn what_cannot_be() {
    let text = |options| {
        PackedDocuments::<u16>::new(pack(&[4]), options)
            .unwrap_err()
            .to_string()
    };
    let block = "block is 1 tokens, expected 2 to 1048576";
    assert_eq!(text(DocumentOptions::new(1)), block);
    assert!(text(DocumentOptions::new((1 << 20) + 1)).starts_with("block is 1048577"));
    let window = DocumentOptions::new(4).fit(Fit::Best { window: 0 });
    assert_eq!(text(window), "window is 0 games, expected at least 1");
    let many = DocumentError::TooManyTokens { found: 1 << 41 };
    assert_eq!(
        many.to_string(),
        "the pack has 2199023255552 tokens, expected at most 1099511627776"
    );
    let pack = pack_with(&[0, 3, 2], &[1, 2, 1, 2, 1, 2]);
    let error = PackedDocuments::<u16>::new(pack, DocumentOptions::new(4)).unwrap_err();
    assert_eq!(error.to_string(), "starts.npy: row 2 at byte 144");
    assert_eq!(
        error.source().unwrap().to_string(),
        "the game starts at token 2, expected one after 3, the start before"
    );
    let three = documents(&[4; 3], DocumentOptions::new(4));
    let error = three
        .gather(&[0, 3], &mut DocumentBatch::default())
        .unwrap_err();
    assert_eq!(error.to_string(), "sample 3 asked for, the dataset holds 3");
}

#[test]
fn ranks_and_loaders() {
    let lens: Vec<usize> = (0..200).map(|game| 2 + game * 7 % 19).collect();
    let documents = Arc::new(documents(&lens, DocumentOptions::new(32)));
    assert_eq!(dealt(&documents), (0..documents.len()).collect::<Vec<_>>());
    assert_blocks_hold_everything(&documents);
    let loader = || {
        let sampler = Sampler::new(Arc::clone(&documents), SamplerConfig::new(3).seed(1));
        Loader::new(sampler.unwrap(), LoaderConfig::new(1)).unwrap()
    };
    let whole: Vec<_> = loader().map(Result::unwrap).collect();
    let mut resumed = loader();
    resumed.restore(&whole[5].state).unwrap();
    assert!(resumed.map(Result::unwrap).eq(whole[6..].iter().cloned()));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 128 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Each game stands once in the rows, whole where it fits; each of its tokens but the first is
    /// predicted once, by the token before it, and nothing else is.
    #[test]
    fn every_game_once(
        lens in prop::collection::vec(2usize..40, 0..30),
        block in 2usize..50,
        window in 0usize..9,
    ) {
        let fit = if window == 0 { Fit::Next } else { Fit::Best { window } };
        let documents = documents(&lens, DocumentOptions::new(block).fit(fit));
        let batch = all(&documents);
        // By document: its tokens and what they predict.
        let mut found = BTreeMap::<_, Vec<(u16, u16)>>::new();
        for place in 0..batch.x().len() {
            let (x, y) = (batch.x()[place], batch.y()[place]);
            let (document, position) = (batch.documents()[place], batch.positions()[place]);
            if document == 0 {
                prop_assert_eq!((x, y, position), (0, 0, 0));
                continue;
            }
            let tokens = found.entry((place / block, document)).or_default();
            prop_assert_eq!(position as usize, tokens.len());
            tokens.push((x, y));
        }
        let mut expected = Vec::new();
        let pack = pack(&lens);
        for game in 0..pack.len() {
            let tokens = pack.game(game).unwrap().unwrap();
            let next = tokens[1..].iter().copied().chain([0]);
            let pairs: Vec<_> = tokens.iter().copied().zip(next).collect();
            expected.extend(pairs.chunks(block).map(<[_]>::to_vec));
        }
        let mut found: Vec<_> = found.into_values().collect();
        found.sort();
        expected.sort();
        prop_assert_eq!(found, expected);
    }
}
