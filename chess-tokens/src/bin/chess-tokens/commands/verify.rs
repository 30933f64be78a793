//! `verify`: whether a pack is sound.

use std::path::PathBuf;

use chess_records::tool_support::Progress;
use chess_tokens::pack::TokenPack;
use chess_tokens::{Scheme, Tokenizer, position_after};
use clap::Args;

use crate::failure::{Failure, chain};
use crate::report::{facts, note, print};
use crate::scheme::BpeArgs;

const LEFT: &str = "the pack was not looked at to its end";

/// Checks everything in a pack.
///
/// That is: counts and lengths, that games start and end where they should, that each token is in the
/// vocabulary, that the vocabulary is the one of the scheme, and that every game's tokens can be read
/// back as moves that are legal.
///
/// Faults are told with their file and byte. A pack of the scheme bpe needs --bpe FILE for the last two.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  chess-tokens verify pack
  chess-tokens verify pack --bpe bpe.json --max-faults 100")]
pub(crate) struct Verify {
    /// The folder of the pack
    #[arg(value_name = "PACK")]
    pack: PathBuf,
    #[command(flatten)]
    bpe: BpeArgs,
    /// Tell no more faults than this
    #[arg(long, value_name = "N", default_value_t = 20)]
    max_faults: u64,
}

impl Verify {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let pack = TokenPack::read(&self.pack)?;
        let tokenizer = self.bpe.of_pack(pack.meta().scheme)?;
        if let Some(tokenizer) = &tokenizer {
            pack.check_tokenizer(&**tokenizer)?;
        }
        let mut faults = Faults {
            most: self.max_faults,
            found: 0,
        };
        for fault in pack.verify() {
            Failure::if_interrupted(LEFT)?;
            faults.add(&chain(&fault))?;
        }
        if let Some(tokenizer) = tokenizer.as_deref().filter(|_| faults.found == 0) {
            decode_all(&pack, tokenizer, &mut faults)?;
        }
        faults.end()?;
        let games = match tokenizer {
            Some(_) => "all read back",
            None => "not read back, which needs --bpe FILE or a tool built with shakmaty",
        };
        print(&facts(&[
            ("pack", self.pack.display().to_string()),
            ("games", format!("{}, {games}", pack.len())),
            ("tokens", pack.meta().n_tokens.to_string()),
            ("faults", "none".into()),
        ]))
    }
}

fn decode_all(
    pack: &TokenPack,
    tokenizer: &dyn Tokenizer,
    faults: &mut Faults,
) -> Result<(), Failure> {
    let progress = Progress::new("games", Some(pack.len()));
    for number in 0..pack.len() {
        if number % 1024 == 0 {
            Failure::if_interrupted(LEFT)?;
            progress.set(number);
        }
        let Some(tokens) = pack.game(number)? else {
            break;
        };
        if let Err(reason) = read_back(tokenizer, tokens) {
            let folder = pack.folder().display();
            faults.add(&format!("{folder}: game {number}: {reason}"))?;
        }
    }
    Ok(())
}

/// Reads a game and plays it: tokens of the schemes uci and bpe can stand for moves that are not legal.
fn read_back(tokenizer: &dyn Tokenizer, tokens: &[u16]) -> Result<(), String> {
    let game = tokenizer.decode(tokens).map_err(|error| chain(&error))?;
    if tokenizer.scheme() != Scheme::San {
        position_after(&game.moves).map_err(|error| chain(&error))?;
    }
    Ok(())
}

/// What was found.
struct Faults {
    most: u64,
    found: u64,
}

impl Faults {
    fn add(&mut self, text: &str) -> Result<(), Failure> {
        self.found += 1;
        match self.found <= self.most {
            true => note(text),
            false => Ok(()),
        }
    }

    fn end(&self) -> Result<(), Failure> {
        if self.found == 0 {
            return Ok(());
        }
        let more = self.found.saturating_sub(self.most);
        let more = match more {
            0 => String::new(),
            more => format!(", {more} of them not told (--max-faults)"),
        };
        note(&format!("chess-tokens: {} faults{more}", self.found))?;
        Err(Failure::Said)
    }
}
