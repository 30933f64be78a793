//! The pass that counts games.

use chess_records::LeftOutGames;

use super::error::BuildError;
use super::manifest::Manifest;
use super::progress::Meter;
use super::rounds::{Rounds, Workers};
use super::source::{Reading, Source};

/// Counts the games that count, and notes in the manifest how many each block has.
pub(super) fn count_games(
    source: &Source<'_>,
    workers: &Workers,
    manifest: &mut Manifest,
    meter: &mut Meter<'_, '_>,
) -> Result<(), BuildError> {
    let options = &manifest.build.options;
    let mut count = Count {
        reading: Reading {
            needs_elos: options.needs_elos(),
            keep: false,
            most: u64::MAX,
        },
        limit: options.limit_games.unwrap_or(u64::MAX),
        games: 0,
        left_out: LeftOutGames::default(),
        block_games: Vec::new(),
    };
    workers.read(source, |rounds| count.run(rounds, meter))?;
    manifest.games = count.games;
    manifest.left_out = Some(count.left_out);
    manifest.block_games = count.block_games;
    Ok(())
}

struct Count {
    reading: Reading,
    limit: u64,
    games: u64,
    left_out: LeftOutGames,
    block_games: Vec<u32>,
}

impl Count {
    fn run(&mut self, mut rounds: Rounds<'_>, meter: &mut Meter<'_, '_>) -> Result<(), BuildError> {
        while self.games < self.limit {
            let mut blocks = Vec::new();
            while blocks.len() < rounds.round_len() {
                let Some(block) = rounds.next_block()? else {
                    break;
                };
                blocks.push((block, self.reading));
            }
            if blocks.is_empty() {
                return Ok(());
            }
            let before = self.games;
            for (mut found, (block, reading)) in rounds.games(&blocks).into_iter().zip(&blocks) {
                let most = self.limit - self.games;
                if found.count >= most {
                    // What comes after the last game that counts is not to be told of.
                    found = block.read(Reading { most, ..*reading });
                }
                self.games += found.count;
                self.left_out.merge(&found.left_out);
                self.block_games.push(found.count as u32);
                if self.games == self.limit {
                    break;
                }
            }
            meter.advance(self.games - before, 0)?;
        }
        Ok(())
    }
}
