//! Generations of networks: each plays games with itself, and the next is trained on them.

mod error;
mod learning;
#[cfg(feature = "plot")]
mod picture;
mod plan;
mod report;
mod samples;
#[cfg(test)]
mod tests;

use std::format;
use std::fs::{self, File};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::string::{String, ToString};
use std::vec::Vec;

use chess_records::AtomicFile;

use self::learning::{Learnt, learn};
use super::any_evaluation::AnyEvaluation;
use super::games::{Datagen, GameStatistics};
use super::matches::{Effort, Match, Pairs, Player};
use crate::file_lock;
use crate::train::Event;

pub use self::error::GenerationsError;
pub use self::learning::EpochLosses;
pub use self::plan::{Plan, PlanError};
pub use self::report::{Generation, Meeting, Report};

/// A folder in which networks learn from their own games: [`HandWritten`](super::HandWritten) plays the
/// first games, a network is trained on them, plays the next, and so on.
///
/// A network is trained on the quiet positions of all games so far; of the newest, one in twenty is held
/// out. It plays a match against the one before it and, from the second on, against the rules, at equal
/// nodes and from other starts than those of the games.
///
/// | file | what it is |
/// |---|---|
/// | `plan.txt` | the [`Plan`] |
/// | `gen1.nnue`, `gen2.nnue`, … | the networks |
/// | `report.md` | the [`Report`] of the generations that are finished, with pictures (feature `plot`) |
/// | `gen1/games/` | the games that it was trained on, in viriformat |
/// | `gen1/run/` | its [training](crate::train::RunFolder), with `losses.csv` |
/// | `gen1/match-hand-written/`, `gen2/match-gen1/`, … | its matches, with the games |
///
/// The process may be killed at any moment: the same call goes on, and the folder holds in the end what it
/// would have held without the interruption, byte for byte, for any number of threads. Lost is at most a
/// chunk of games, an epoch of training, or the pairs of games being played.
///
/// ```no_run
/// use std::ops::ControlFlow;
///
/// use chess_nnue::selfplay::{Generations, Plan, Progress};
///
/// let generations = Generations::open("evening", || Plan::default().sized(180.0, 4))?;
/// let report = generations.run(4, |progress| {
///     if let Progress::Finished(generation) = progress {
///         println!("{generation}");
///     }
///     ControlFlow::Continue(()) // or Break, to stop here and go on another time
/// })?;
/// # Ok::<(), chess_nnue::selfplay::GenerationsError>(())
/// ```
#[derive(Debug)]
pub struct Generations {
    folder: PathBuf,
    plan: Plan,
    /// Locked as long as this lives.
    _lock: File,
}

/// How far a run has come.
#[derive(Debug)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// A game was played; the games of chunks that were there before are told at once.
    #[non_exhaustive]
    Game {
        /// The generation that will be trained on it, from 1.
        generation: u64,
        /// How many games there are.
        games: u64,
        /// How many there will be.
        of: u64,
    },
    /// Something happened in training.
    #[non_exhaustive]
    Training {
        /// The generation.
        generation: u64,
        /// What.
        event: &'a Event<'a>,
    },
    /// A pair of games of a match was played.
    #[non_exhaustive]
    Pair {
        /// The generation, the match's first player.
        generation: u64,
        /// Its opponent, 0 being the rules.
        against: u64,
        /// All pairs so far.
        pairs: &'a Pairs,
        /// How many there will be.
        of: u64,
    },
    /// A generation is finished.
    Finished(&'a Generation),
}

/// What a step gives, or that it was broken off.
type Step<T> = Result<Option<T>, GenerationsError>;

impl Generations {
    /// Opens a folder, making it if it is not there. A folder in which generations were begun keeps its
    /// plan; a new one gets that of `plan`.
    ///
    /// # Errors
    ///
    /// When another process works in the folder, its plan is lost, damaged or of another version, or it
    /// cannot be used; and for a new plan that cannot be worked by.
    pub fn open(
        folder: impl Into<PathBuf>,
        plan: impl FnOnce() -> Plan,
    ) -> Result<Self, GenerationsError> {
        let folder = folder.into();
        fs::create_dir_all(&folder).map_err(|source| io_error(&folder, source))?;
        let lock = lock(&folder)?;
        remove_unfinished(
            &folder,
            &["plan.txt.", "report.md.", "gen", "ladder.", "losses-"],
        )?;
        let path = folder.join("plan.txt");
        let plan = match fs::read_to_string(&path) {
            Ok(text) => read_plan(&path, &text)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => begin(&folder, plan())?,
            Err(source) => return Err(io_error(&path, source)),
        };
        Ok(Self {
            folder,
            plan,
            _lock: lock,
        })
    }

    /// The plan.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The network of a generation, from 1, once it is trained.
    #[must_use]
    pub fn network_path(&self, generation: u64) -> PathBuf {
        self.folder.join(format!("{}.nnue", name(generation)))
    }

    /// Does what is left to do, on `threads` threads, of which there is one at least; `None` when `tell`
    /// breaks off.
    ///
    /// # Errors
    ///
    /// When files cannot be read or written or are damaged, or the games are too few to train on.
    pub fn run(
        &self,
        threads: usize,
        mut tell: impl FnMut(&Progress<'_>) -> ControlFlow<()>,
    ) -> Step<Report> {
        let threads = threads.max(1);
        let mut players = Vec::from([AnyEvaluation::HandWritten]);
        let mut report = Report::new(self.plan);
        for number in 1..=self.plan.generations {
            let mut at = Stage {
                run: self,
                number,
                threads,
                tell: &mut tell,
            };
            let Some(generation) = at.generation(&mut players)? else {
                return Ok(None);
            };
            report.generations.push(generation);
            report.write(&self.folder)?;
            let finished = report.generations.last().map(Progress::Finished);
            if finished.is_some_and(|finished| tell(&finished).is_break()) {
                return Ok(None);
            }
        }
        Ok(Some(report))
    }

    fn folder_of(&self, generation: u64) -> PathBuf {
        self.folder.join(name(generation))
    }

    fn datagen(&self) -> Datagen {
        Datagen::new()
            .seed(self.plan.seed)
            .games_per_chunk(self.plan.games)
            .nodes(self.plan.nodes)
    }

    /// The files of a generation's games. No two generations have the same numbers.
    fn chunks(&self, generation: u64) -> Vec<(u64, PathBuf)> {
        let first = (generation - 1) * self.plan.chunks;
        let numbers = first..first + self.plan.chunks;
        let folder = self.folder_of(generation).join("games");
        let path = |chunk| folder.join(self.datagen().file_name(chunk));
        numbers.map(|chunk| (chunk, path(chunk))).collect()
    }

    fn chunk_paths(&self, generation: u64) -> Vec<PathBuf> {
        let chunks = self.chunks(generation).into_iter();
        chunks.map(|(_, path)| path).collect()
    }
}

/// A generation at work.
struct Stage<'a, F> {
    run: &'a Generations,
    number: u64,
    threads: usize,
    tell: &'a mut F,
}

impl<F: FnMut(&Progress<'_>) -> ControlFlow<()>> Stage<'_, F> {
    /// Plays with the last of `players`, trains, adds the network to them and lets them meet.
    fn generation(&mut self, players: &mut Vec<AnyEvaluation>) -> Step<Generation> {
        let Some(games) = self.play(players)? else {
            return Ok(None);
        };
        let Some(learnt) = self.train()? else {
            return Ok(None);
        };
        learnt.network.save(self.run.network_path(self.number))?;
        players.push(learnt.network.into());
        let mut meetings = Vec::new();
        for against in self.opponents() {
            match self.meet(players, against)? {
                Some(pairs) => meetings.push(Meeting { against, pairs }),
                None => return Ok(None),
            }
        }
        Ok(Some(Generation {
            number: self.number,
            games,
            eval_scale: learnt.eval_scale,
            losses: learnt.losses,
            audit: learnt.audit,
            meetings,
        }))
    }

    fn play(&mut self, players: &[AnyEvaluation]) -> Step<GameStatistics> {
        let player = &players[self.number as usize - 1];
        let folder = self.run.folder_of(self.number).join("games");
        fs::create_dir_all(&folder).map_err(|source| io_error(&folder, source))?;
        remove_unfinished(&folder, &["games-"])?;
        let (datagen, plan) = (self.run.datagen(), &self.run.plan);
        let of = plan.chunks * plan.games;
        for (done, (chunk, path)) in (0..).zip(self.run.chunks(self.number)) {
            let mut told = |games| {
                (self.tell)(&Progress::Game {
                    generation: self.number,
                    games: done * plan.games + games,
                    of,
                })
            };
            if path.exists() {
                if told(plan.games).is_break() {
                    return Ok(None);
                }
                continue;
            }
            let made = datagen.chunk(
                &folder,
                chunk,
                self.threads,
                || player.evaluation(),
                |statistics| told(statistics.games),
            )?;
            if made.is_none() {
                return Ok(None);
            }
        }
        samples::statistics(plan, &self.run.chunk_paths(self.number)).map(Some)
    }

    /// Trains on the games of all generations so far.
    fn train(&mut self) -> Step<Learnt> {
        let games = (1..=self.number).map(|number| self.run.chunk_paths(number));
        let samples = samples::read(&self.run.plan, &games.collect::<Vec<_>>())?;
        let folder = self.run.folder_of(self.number).join("run");
        learn(&self.run.plan, samples, &folder, self.threads, |event| {
            (self.tell)(&Progress::Training {
                generation: self.number,
                event,
            })
        })
    }

    /// The generation before, and the rules.
    fn opponents(&self) -> Vec<u64> {
        let mut opponents = Vec::from([self.number - 1, 0]);
        opponents.dedup();
        opponents
    }

    fn meet(&mut self, players: &[AnyEvaluation], against: u64) -> Step<Pairs> {
        let plan = &self.run.plan;
        let both = [self.number, against];
        let contest = both.map(|number| {
            let player = &players[number as usize];
            Player::new(name(number), || player.evaluation())
        });
        // Other starts than those of the games that were trained on.
        let rules = Match::new(plan.pairs, Effort::Nodes(plan.nodes)).seed(!plan.seed);
        let folder = self.run.folder_of(self.number);
        let folder = folder.join(format!("match-{}", name(against)));
        // Even with the last pair it may be broken off.
        let mut flow = ControlFlow::Continue(());
        let pairs = rules.play(&folder, &contest, self.threads, |pairs| {
            flow = (self.tell)(&Progress::Pair {
                generation: self.number,
                against,
                pairs,
                of: plan.pairs,
            });
            flow
        })?;
        Ok(flow.is_continue().then_some(pairs))
    }
}

/// What a generation is called, 0 being the rules.
fn name(generation: u64) -> String {
    match generation {
        0 => AnyEvaluation::HAND_WRITTEN.to_string(),
        number => format!("gen{number}"),
    }
}

/// The first line of a plan's file: another version may play and train otherwise.
const VERSION: &str = concat!("chess-nnue ", env!("CARGO_PKG_VERSION"));

fn read_plan(path: &Path, text: &str) -> Result<Plan, GenerationsError> {
    let (version, rest) = text.split_once('\n').unwrap_or((text, ""));
    if version != VERSION {
        return Err(GenerationsError::Version {
            path: path.into(),
            found: version.into(),
        });
    }
    rest.parse().map_err(|source| GenerationsError::PlanFile {
        path: path.into(),
        source,
    })
}

/// Keeps a new plan, unless there are generations of another one.
fn begin(folder: &Path, plan: Plan) -> Result<Plan, GenerationsError> {
    let first = folder.join(name(1));
    if first.exists() {
        return Err(GenerationsError::NoPlan { path: first });
    }
    plan.check()?;
    let path = folder.join("plan.txt");
    write(&path, format!("{VERSION}\n{plan}").as_bytes())?;
    Ok(plan)
}

/// Removes what a killed process left half written of files whose names begin like this; nobody else works
/// in the folder.
fn remove_unfinished(folder: &Path, ours: &[&str]) -> Result<(), GenerationsError> {
    let is_unfinished = |name: &str| {
        let target = name.strip_prefix('.').filter(|_| name.ends_with(".tmp"));
        target.is_some_and(|target| ours.iter().any(|ours| target.starts_with(ours)))
    };
    let entries = fs::read_dir(folder).map_err(|source| io_error(folder, source))?;
    for entry in entries {
        let entry = entry.map_err(|source| io_error(folder, source))?;
        if entry.file_name().to_str().is_some_and(is_unfinished) {
            let path = entry.path();
            fs::remove_file(&path).map_err(|source| io_error(&path, source))?;
        }
    }
    Ok(())
}

fn lock(folder: &Path) -> Result<File, GenerationsError> {
    let path = folder.join("lock");
    match file_lock::create(&path) {
        Ok(Some(file)) => Ok(file),
        Ok(None) => Err(GenerationsError::Busy {
            path: folder.into(),
        }),
        Err(source) => Err(io_error(&path, source)),
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), GenerationsError> {
    let mut file = AtomicFile::create(path)?;
    let written = file.write_all(bytes);
    written.map_err(|source| io_error(path, source))?;
    Ok(file.finish()?)
}

fn io_error(path: &Path, source: io::Error) -> GenerationsError {
    GenerationsError::Io {
        path: path.into(),
        source,
    }
}
