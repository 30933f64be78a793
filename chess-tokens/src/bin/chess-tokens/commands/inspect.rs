//! `inspect`: what is in a pack.

use std::path::PathBuf;

use chess_records::{Game, Position};
use chess_tokens::pack::{GameHeader, TokenPack};
use chess_tokens::{Tokenizer, position_after};
use clap::Args;
use serde_json::{Value, json};

use crate::failure::{Failure, chain};
use crate::game_line::moves;
use crate::report::{board, facts, print};
use crate::scheme::BpeArgs;

/// Shows what is in a pack, or one of its games.
///
/// Of a game its moves are shown and the board after the last one, or after --ply N. A pack of the scheme
/// bpe needs --bpe FILE for that; without, tokens are shown.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  chess-tokens inspect pack
  chess-tokens inspect pack --game 5 --ply 20
  chess-tokens inspect pack --game 5 --json")]
pub(crate) struct Inspect {
    /// The folder of the pack
    #[arg(value_name = "PACK")]
    pack: PathBuf,
    /// Show this game, counted from 0
    #[arg(long, value_name = "N")]
    game: Option<u64>,
    /// Show the board after so many plies
    #[arg(long, value_name = "N", requires = "game")]
    ply: Option<usize>,
    #[command(flatten)]
    bpe: BpeArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Inspect {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let pack = TokenPack::read(&self.pack)?;
        match self.game {
            Some(number) => self.show(&pack, number),
            None => self.describe(&pack),
        }
    }

    fn describe(&self, pack: &TokenPack) -> Result<(), Failure> {
        let meta = pack.meta();
        if self.json {
            let value = serde_json::to_value(meta).map_err(Failure::data)?;
            return print(&format!("{value:#}\n"));
        }
        let mean = match pack.len() {
            0 => String::new(),
            games => format!(", {:.1} a game", meta.n_tokens as f64 / games as f64),
        };
        print(&facts(&[
            ("pack", self.pack.display().to_string()),
            ("source", meta.source.clone()),
            ("scheme", meta.scheme.to_string()),
            (
                "vocabulary",
                format!("{} tokens, hash {}", meta.vocab_size, meta.vocab_hash),
            ),
            ("games", meta.n_games.to_string()),
            ("tokens", format!("{}{mean}", meta.n_tokens)),
        ]))
    }

    fn show(&self, pack: &TokenPack, number: u64) -> Result<(), Failure> {
        let (Some(tokens), Some(header)) = (pack.game(number)?, pack.game_header(number)?) else {
            return Err(Failure::usage(format!(
                "{}: there is no game {number}, there are {}",
                self.pack.display(),
                pack.len()
            )));
        };
        let tokenizer = self.bpe.of_pack(pack.meta().scheme)?;
        let decoded = match &tokenizer {
            Some(tokenizer) => Some(self.decode(pack, number, &**tokenizer, tokens)?),
            None => None,
        };
        let shown = Shown {
            number,
            start: pack.starts()[number as usize],
            tokens,
            header,
            decoded,
        };
        print(&match self.json {
            true => format!("{:#}\n", shown.json()),
            false => shown.drawn(),
        })
    }

    fn decode(
        &self,
        pack: &TokenPack,
        number: u64,
        tokenizer: &dyn Tokenizer,
        tokens: &[u16],
    ) -> Result<Decoded, Failure> {
        pack.check_tokenizer(tokenizer)?;
        let at = |text: String| {
            let folder = self.pack.display();
            Failure::data(format!("{folder}: game {number}: {text}"))
        };
        let game = tokenizer
            .decode(tokens)
            .map_err(|error| at(chain(&error)))?;
        let plies = self.ply.unwrap_or(game.moves.len());
        let Some(played) = game.moves.get(..plies) else {
            let there = game.moves.len();
            return Err(Failure::usage(format!(
                "game {number} has {there} plies, and not {plies}"
            )));
        };
        let position = position_after(played).map_err(|error| at(chain(&error)))?;
        Ok(Decoded {
            game,
            plies,
            position,
        })
    }
}

/// A game to show.
struct Shown<'a> {
    number: u64,
    start: i64,
    tokens: &'a [u16],
    header: GameHeader,
    decoded: Option<Decoded>,
}

struct Decoded {
    game: Game,
    plies: usize,
    position: Position,
}

impl Shown<'_> {
    fn json(&self) -> Value {
        let decoded = self.decoded.as_ref();
        json!({
            "game": self.number,
            "start": self.start,
            "tokens": self.tokens,
            "white_elo": self.header.white_elo,
            "black_elo": self.header.black_elo,
            "result": self.header.result.map(|result| result.pgn()),
            "uci": decoded.map(|decoded| moves(&decoded.game.moves)),
            "plies": decoded.map(|decoded| decoded.game.moves.len()),
            "ply": decoded.map(|decoded| decoded.plies),
            "fen": decoded.map(|decoded| decoded.position.fen().to_string()),
        })
    }

    fn drawn(&self) -> String {
        let elo = |elo: Option<u16>| elo.map_or("unknown".into(), |elo| format!("{elo}+"));
        let mut rows = vec![
            ("game", self.number.to_string()),
            (
                "tokens",
                format!("{} from token {}", self.tokens.len(), self.start),
            ),
        ];
        if self.header.white_elo.is_some() || self.header.black_elo.is_some() {
            let (white, black) = (elo(self.header.white_elo), elo(self.header.black_elo));
            rows.push(("Elo", format!("White {white}, Black {black}")));
        }
        let result = self.header.result.map_or("unknown", |result| result.pgn());
        rows.push(("result", result.into()));
        match &self.decoded {
            Some(decoded) => {
                rows.push(("moves", numbered(&decoded.game)));
                rows.push(("after ply", decoded.plies.to_string()));
                rows.push(("FEN", decoded.position.fen().to_string()));
                facts(&rows) + "\n" + &board(&decoded.position)
            }
            None => {
                let numbers: Vec<_> = self.tokens.iter().map(ToString::to_string).collect();
                rows.push(("numbers", numbers.join(" ")));
                facts(&rows)
            }
        }
    }
}

/// `1. e2e4 e7e5 2. g1f3`.
fn numbered(game: &Game) -> String {
    let pairs = game.moves.chunks(2).zip(1..);
    let pairs: Vec<_> = pairs
        .map(|(pair, number)| format!("{number}. {}", moves(pair)))
        .collect();
    pairs.join(" ")
}
