//! Training.

use chess_records::Game;
use tokenizers::Tokenizer;
use tokenizers::models::TrainerWrapper;
use tokenizers::models::bpe::{BPE, BpeTrainer};
use tokenizers::pre_tokenizers::whitespace::WhitespaceSplit;

use super::error::TrainBpeError;
use super::file::{MAX_VOCAB_SIZE, SPECIALS, special_tokens};
use super::{BpeTokenizer, joined_moves};

impl BpeTokenizer {
    /// Trains on games with a vocabulary of so many tokens; of few games come fewer.
    ///
    /// The same games in the same order make the same tokenizer. Each game is one word to the
    /// library, which holds all of them: some 20 kilobytes a game of 80 plies. A sample of a corpus
    /// is enough.
    ///
    /// # Errors
    ///
    /// When `vocab_size` is under 8 or over 65,536, or the library fails.
    pub fn train<I>(games: I, vocab_size: usize) -> Result<Self, TrainBpeError>
    where
        I: IntoIterator<Item = Game>,
        I::IntoIter: Send,
    {
        if !(SPECIALS.len()..=MAX_VOCAB_SIZE).contains(&vocab_size) {
            return Err(TrainBpeError::VocabSize { found: vocab_size });
        }
        let json = train(games.into_iter(), vocab_size).map_err(TrainBpeError::Library)?;
        Self::from_json(json.as_bytes()).map_err(|error| TrainBpeError::Library(error.into()))
    }
}

fn train(
    games: impl Iterator<Item = Game> + Send,
    vocab_size: usize,
) -> tokenizers::Result<String> {
    let model = BPE::builder().unk_token("<unk>".to_owned()).build()?;
    let mut tokenizer = Tokenizer::new(model);
    tokenizer.with_pre_tokenizer(Some(WhitespaceSplit));
    let trainer = BpeTrainer::builder()
        .vocab_size(vocab_size)
        .special_tokens(special_tokens().to_vec())
        .show_progress(false)
        .build();
    let texts = games.map(|game| joined_moves(&game));
    tokenizer.train(&mut TrainerWrapper::BpeTrainer(trainer), texts)?;
    tokenizer.to_string(false)
}
