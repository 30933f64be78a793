//! The pass that builds shards.

use std::path::PathBuf;

use chess_records::LeftOutGames;
use serde_json::Map;

use super::choice::Sampler;
use super::error::BuildError;
use super::game::Replay;
use super::manifest::{FinishedShard, Manifest};
use super::plan::Plan;
use super::progress::Meter;
use super::random::NumpyRng;
use super::rounds::{Rounds, Workers};
use super::row::RowEncoder;
use super::shard_file::ShardFile;
use super::source::{Block, Reading};
use crate::{FlatRecord, ShardInfo};

/// Where a pass stands.
pub(super) struct Pass<'a> {
    plan: &'a Plan,
    folder: PathBuf,
    manifest_path: PathBuf,
    manifest: &'a mut Manifest,
    /// Whether each shard is to be built.
    wanted: Vec<bool>,
    /// The game at which the pass may stop.
    end: u64,
    /// More games than were told are a fault.
    told: bool,
    sampler: Sampler,
    /// The shard that the sampler draws for.
    drawing: Option<u32>,
    writing: Option<(ShardInfo, ShardFile)>,
    next_game: u64,
    next_block: usize,
    left_out: LeftOutGames,
    seconds_before: f64,
    started: std::time::Instant,
}

/// A game of a shard that is built.
struct Drawn {
    number: u64,
    shard: u32,
    replay: Replay,
    fate: Fate,
}

enum Fate {
    TooShort,
    Filtered,
    /// The plies to write, in order.
    Plies(Vec<u32>),
}

/// The rows of a game.
struct Rows {
    bytes: Vec<u8>,
    overflow: u64,
}

impl<'a> Pass<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        manifest: &'a mut Manifest,
        wanted: Vec<bool>,
        told: bool,
        folder: PathBuf,
        manifest_path: PathBuf,
    ) -> Self {
        let last = wanted.iter().rposition(|&wanted| wanted);
        let end = last.map_or(0, |shard| plan.games(shard as u32).end);
        // Only the end of the source tells that there are no more games.
        let end = if told && end == manifest.games {
            u64::MAX
        } else {
            end
        };
        let draw = manifest.build.options.draw();
        Self {
            plan,
            folder,
            manifest_path,
            wanted,
            end,
            told,
            sampler: Sampler::new(draw, NumpyRng::new(&[])),
            drawing: None,
            writing: None,
            next_game: 0,
            next_block: 0,
            left_out: LeftOutGames::default(),
            seconds_before: manifest.seconds,
            started: std::time::Instant::now(),
            manifest,
        }
    }

    /// Builds the shards that are wanted.
    pub(super) fn run(
        &mut self,
        mut rounds: Rounds<'_>,
        workers: &Workers,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), BuildError> {
        while self.next_game < self.end {
            let before = self.next_game;
            let (blocks, at_end) = self.next_blocks(&mut rounds)?;
            let drawn = self.draw_blocks(&rounds, &blocks)?;
            let rows = workers.map(&drawn, RowEncoder::default, |encoder, game| {
                encode(encoder, game)
            });
            let mut samples = 0;
            for (game, rows) in drawn.iter().zip(rows) {
                samples += self.write(game, &rows?)?;
            }
            meter.advance(self.next_game - before, samples)?;
            if at_end {
                return self.check_end();
            }
        }
        Ok(())
    }

    /// The blocks of a round, without those that have no wanted game.
    fn next_blocks(
        &mut self,
        rounds: &mut Rounds<'_>,
    ) -> Result<(Vec<(Block, Reading)>, bool), BuildError> {
        let mut blocks = Vec::new();
        let mut to_come = self.next_game;
        let needs_elos = self.manifest.build.options.needs_elos();
        while blocks.len() < rounds.round_len() && to_come < self.end {
            let Some(block) = rounds.next_block()? else {
                return Ok((blocks, true));
            };
            let counted = self
                .manifest
                .block_games
                .get(self.next_block + blocks.len());
            let most = counted.map_or(u64::MAX, |&games| u64::from(games));
            if blocks.is_empty() && counted.is_some() && !self.wants(to_come, most) {
                self.next_block += 1;
                self.next_game += most;
                to_come += most;
                continue;
            }
            to_come = to_come.saturating_add(if counted.is_some() { most } else { 0 });
            let reading = Reading {
                needs_elos,
                keep: true,
                most,
            };
            blocks.push((block, reading));
        }
        Ok((blocks, false))
    }

    fn wants(&self, first: u64, games: u64) -> bool {
        let last = (first + games).min(self.manifest.games);
        first < last && {
            let shards = self.plan.shard_of(first)..=self.plan.shard_of(last - 1);
            self.wanted[*shards.start() as usize..=*shards.end() as usize].contains(&true)
        }
    }

    /// Draws plies of the games of a round, in the order of the games.
    fn draw_blocks(
        &mut self,
        rounds: &Rounds<'_>,
        blocks: &[(Block, Reading)],
    ) -> Result<Vec<Drawn>, BuildError> {
        let mut drawn = Vec::new();
        for (read, (_, reading)) in rounds.games(blocks).into_iter().zip(blocks) {
            if reading.most != u64::MAX && read.count != reading.most {
                return Err(BuildError::SourceChanged {
                    block: self.next_block,
                    found: read.count,
                    counted: reading.most,
                });
            }
            self.left_out.merge(&read.left_out);
            for replay in read.games {
                drawn.extend(self.draw(replay)?);
            }
            self.next_block += 1;
        }
        Ok(drawn)
    }

    fn draw(&mut self, replay: Replay) -> Result<Option<Drawn>, BuildError> {
        let number = self.next_game;
        if number >= self.manifest.games {
            let limited = self.manifest.build.options.limit_games == Some(self.manifest.games);
            return match self.told && !limited {
                true => Err(BuildError::MoreGames {
                    told: self.manifest.games,
                }),
                false => Ok(None),
            };
        }
        self.next_game += 1;
        let shard = self.plan.shard_of(number);
        if !self.wanted[shard as usize] {
            return Ok(None);
        }
        if self.drawing != Some(shard) {
            let seed = self.manifest.build.options.seed;
            self.sampler
                .restart(NumpyRng::new(&[seed, u64::from(shard)]));
            self.drawing = Some(shard);
        }
        let fate = if replay.plies < 2 {
            Fate::TooShort
        } else if !self.manifest.build.options.admits(replay.elos()) {
            Fate::Filtered
        } else {
            Fate::Plies(self.sampler.sample(replay.plies))
        };
        Ok(Some(Drawn {
            number,
            shard,
            replay,
            fate,
        }))
    }

    /// Writes the rows of a game and counts it, and finishes the shard after its last game.
    fn write(&mut self, game: &Drawn, rows: &Rows) -> Result<u64, BuildError> {
        let games = self.plan.games(game.shard);
        let (mut info, mut file) = match self.writing.take() {
            Some(open) => open,
            None => self.open(game.shard)?,
        };
        let samples = (rows.bytes.len() / FlatRecord::BYTES) as u64;
        file.push(&rows.bytes)?;
        info.num_samples += samples;
        info.num_overflow += rows.overflow;
        match game.fate {
            Fate::TooShort => info.num_skipped_games += 1,
            Fate::Filtered => info.num_filtered_games += 1,
            Fate::Plies(_) if game.replay.moves.len() < game.replay.plies => info.num_bad_push += 1,
            Fate::Plies(_) => {}
        }
        if game.number + 1 == games.end {
            self.finish(info, file)?;
        } else {
            self.writing = Some((info, file));
        }
        Ok(samples)
    }

    fn open(&self, shard: u32) -> Result<(ShardInfo, ShardFile), BuildError> {
        let games = self.plan.games(shard);
        let info = ShardInfo {
            shard_id: shard.into(),
            path: shard_name(shard.into()),
            game_start: games.start,
            game_end: games.end,
            num_samples: 0,
            num_overflow: 0,
            num_bad_push: 0,
            num_skipped_games: 0,
            num_filtered_games: 0,
            other: Map::new(),
        };
        let file = ShardFile::create(&self.folder.join(&info.path))?;
        Ok((info, file))
    }

    fn finish(&mut self, info: ShardInfo, file: ShardFile) -> Result<(), BuildError> {
        let rows_xxh3_64 = file.finish()?;
        self.manifest
            .shards
            .push(FinishedShard { info, rows_xxh3_64 });
        self.manifest.seconds = self.seconds_before + self.started.elapsed().as_secs_f64();
        self.manifest.write(&self.manifest_path)
    }

    /// At the end of the source.
    fn check_end(&mut self) -> Result<(), BuildError> {
        if self.next_game < self.manifest.games {
            return Err(BuildError::FewerGames {
                found: self.next_game,
                told: self.manifest.games,
            });
        }
        if self.manifest.left_out.is_none() {
            self.manifest.left_out = Some(self.left_out);
            self.manifest.write(&self.manifest_path)?;
        }
        Ok(())
    }
}

/// The name of a shard's file.
pub(super) fn shard_name(shard: u64) -> String {
    format!("shard_{shard:04}.npy")
}

/// The rows of a game, up to a move that cannot be played.
fn encode(encoder: &mut RowEncoder, game: &Drawn) -> Result<Rows, BuildError> {
    use shakmaty::Position as _;
    let mut rows = Rows {
        bytes: Vec::new(),
        overflow: 0,
    };
    let Fate::Plies(plies) = &game.fate else {
        return Ok(rows);
    };
    rows.bytes.reserve(plies.len() * FlatRecord::BYTES);
    let mut plies = plies.iter().peekable();
    let mut position = shakmaty::Chess::default();
    for (ply, &played) in (0..).zip(&game.replay.moves) {
        if plies.peek().is_none() {
            break;
        }
        if plies.peek() == Some(&&ply) {
            let row = encoder.encode(&position, played, game.replay.result, ply as u16);
            let row = row.map_err(|source| BuildError::Action {
                game: game.number,
                source,
            })?;
            while plies.next_if_eq(&&ply).is_some() {
                rows.bytes.extend_from_slice(row.record.as_bytes());
                rows.overflow += u64::from(row.overflow);
            }
        }
        position.play_unchecked(played);
    }
    Ok(rows)
}
