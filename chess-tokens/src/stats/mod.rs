//! What a pack is made of.

mod counts;
#[cfg(feature = "plot")]
mod plot;

use chess_records::GameResult;
use serde::{Deserialize, Serialize};

pub use counts::Counts;
#[cfg(feature = "plot")]
#[cfg_attr(docsrs, doc(cfg(feature = "plot")))]
pub use plot::PlotError;

use crate::Scheme;
use crate::pack::{GameHeader, PackFault, TokenPack, scheme_serde};

/// Counts over the games of a pack.
///
/// ```
/// use chess_tokens::pack::TokenPack;
/// use chess_tokens::stats::PackStats;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/uci");
/// let stats = PackStats::of(&TokenPack::read(folder)?)?;
/// assert_eq!((stats.games, stats.lengths.max()), (186, Some(245)));
/// assert_eq!(stats.results.white_won + stats.results.draws + stats.results.black_won, 186);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PackStats {
    /// How games are written as tokens.
    #[serde(with = "scheme_serde")]
    pub scheme: Scheme,
    /// How many games there are.
    pub games: u64,
    /// How many tokens they have together.
    pub tokens: u64,
    /// Games by how many tokens they have.
    pub lengths: Counts,
    /// Games by how many moves they have, each side's counted; `None` where tokens are not counted to
    /// moves without being decoded, as in `bpe`.
    pub moves: Option<Counts>,
    /// Games by the band of White's rating: by its lower end. Games that tell none are in none.
    pub white_elos: Counts,
    /// Games by the band of Black's rating.
    pub black_elos: Counts,
    /// Games by how they ended.
    pub results: ResultCounts,
    /// How many tokens are `<unk>`: moves that the vocabulary does not have.
    pub unknown_tokens: u64,
    /// How many games have such a token.
    pub games_with_unknown: u64,
}

/// Games by how they ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ResultCounts {
    /// White won.
    pub white_won: u64,
    /// Draws.
    pub draws: u64,
    /// Black won.
    pub black_won: u64,
    /// Games whose tokens tell no result.
    pub unknown: u64,
}

/// The unknown token of `uci` and `bpe`.
const UNK: u16 = 4;
/// The space of `san`.
const SAN_SPACE: u16 = 3;

impl PackStats {
    /// No games yet.
    #[must_use]
    pub fn new(scheme: Scheme) -> Self {
        Self {
            scheme,
            games: 0,
            tokens: 0,
            lengths: Counts::default(),
            moves: match scheme {
                Scheme::Uci | Scheme::San => Some(Counts::default()),
                Scheme::Bpe => None,
            },
            white_elos: Counts::default(),
            black_elos: Counts::default(),
            results: ResultCounts::default(),
            unknown_tokens: 0,
            games_with_unknown: 0,
        }
    }

    /// Counts the games of a pack.
    ///
    /// # Errors
    ///
    /// When a game starts where it cannot.
    pub fn of(pack: &TokenPack) -> Result<Self, PackFault> {
        let mut stats = Self::new(pack.meta().scheme);
        for game in 0..pack.len() {
            stats.add(pack.game(game)?.unwrap_or_default());
        }
        Ok(stats)
    }

    /// Counts the tokens of a whole game.
    pub fn add(&mut self, tokens: &[u16]) {
        self.games += 1;
        self.tokens += tokens.len() as u64;
        self.lengths.add(tokens.len() as u64);
        let header = GameHeader::new(self.scheme, tokens);
        if let Some(elo) = header.white_elo {
            self.white_elos.add(elo.into());
        }
        if let Some(elo) = header.black_elo {
            self.black_elos.add(elo.into());
        }
        self.results.add(header.result);
        if let Some(moves) = &mut self.moves {
            moves.add(count_moves(self.scheme, tokens));
        }
        if self.scheme != Scheme::San {
            let unknown = tokens.iter().filter(|&&token| token == UNK).count();
            self.unknown_tokens += unknown as u64;
            self.games_with_unknown += u64::from(unknown > 0);
        }
    }
}

impl ResultCounts {
    fn add(&mut self, result: Option<GameResult>) {
        let count = match result {
            Some(GameResult::WhiteWon) => &mut self.white_won,
            Some(GameResult::Draw) => &mut self.draws,
            Some(GameResult::BlackWon) => &mut self.black_won,
            None => &mut self.unknown,
        };
        *count += 1;
    }

    /// How many games there are.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.white_won + self.draws + self.black_won + self.unknown
    }
}

/// How many moves a game has, of either side.
fn count_moves(scheme: Scheme, tokens: &[u16]) -> u64 {
    /// `<bos>`, two ratings, the result and `<eos>`.
    const UCI_OTHERS: usize = 5;
    match scheme {
        Scheme::San => {
            // A space follows each move; without moves there is one before the result as well.
            let is_empty = tokens.get(1) == Some(&SAN_SPACE);
            let spaces = tokens.iter().filter(|&&token| token == SAN_SPACE).count();
            if is_empty { 0 } else { spaces as u64 }
        }
        _ => tokens.len().saturating_sub(UCI_OTHERS) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    pub(super) fn golden(name: &str) -> PackStats {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
        PackStats::of(&TokenPack::read(tests.join("golden").join(name)).unwrap()).unwrap()
    }

    /// The three packs are of the same games.
    #[test]
    fn schemes_agree() {
        let [uci, san, bpe] = ["uci", "san", "bpe"].map(golden);
        assert_eq!((uci.games, uci.tokens), (186, 14454));
        assert_eq!(uci.moves, san.moves);
        assert_eq!(uci.moves.as_ref().unwrap().of(0), 3, "games without moves");
        assert_eq!(bpe.moves, None);
        assert_eq!((uci.results, uci.results), (san.results, bpe.results));
        assert_eq!((uci.results.total(), uci.results.unknown), (186, 0));
        assert_eq!((uci.white_elos.total(), uci.black_elos.total()), (186, 186));
        assert_eq!((san.white_elos.total(), bpe.black_elos.total()), (0, 0));
        assert_eq!(
            uci.lengths
                .iter()
                .map(|(len, games)| len * games)
                .sum::<u64>(),
            14454
        );
    }

    #[test]
    fn unknown_tokens() {
        let mut stats = PackStats::new(Scheme::Uci);
        stats.add(&[1, 8, 35, 4, 99, 4, 5, 2]);
        stats.add(&[1, 8, 36, 99, 7, 2]);
        stats.add(&[1, 8, 36, 2]);
        assert_eq!((stats.unknown_tokens, stats.games_with_unknown), (2, 1));
        assert_eq!((stats.results.white_won, stats.results.draws), (1, 1));
        assert_eq!((stats.results.unknown, stats.results.total()), (1, 3));
        assert_eq!((stats.black_elos.of(600), stats.black_elos.of(700)), (1, 1));
        let mut san = PackStats::new(Scheme::San);
        san.add(&[1, 4, 3, 9, 6, 8, 2]);
        assert_eq!(
            (san.unknown_tokens, san.moves.unwrap().of(1)),
            (0, 1),
            "# is no <unk>"
        );
    }

    #[test]
    fn json() {
        for name in ["uci", "bpe"] {
            let stats = golden(name);
            let json = serde_json::to_string(&stats).unwrap();
            assert!(
                json.starts_with(&format!("{{\"scheme\":\"{name}\",\"games\":186,")),
                "{json}"
            );
            assert_eq!(serde_json::from_str::<PackStats>(&json).unwrap(), stats);
        }
    }
}
