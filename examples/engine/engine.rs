//! What the other program has told, and the search that it asked for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use chess_nnue::selfplay::{AnyEvaluation, Evaluation, Search, mate_in_moves};
use cozy_chess::Board;

use crate::evaluator::{self, BUILTIN};
use crate::go::Asked;
use crate::position::{Game, info, text};
use crate::{Say, bench};

type Searcher = Search<Box<dyn Evaluation + Send>>;

pub(crate) const DEFAULT_HASH_MIB: usize = 16;
/// Lost between this program and the clock.
const DEFAULT_OVERHEAD_MS: u64 = 20;

pub(crate) struct Engine {
    say: Say,
    /// Or why there is none.
    game: Result<Game, String>,
    /// Or why there is none.
    evaluator: Result<AnyEvaluation, String>,
    is_chess960: bool,
    hash_mib: usize,
    overhead: Duration,
    /// `None` while a search has it, and until it is needed.
    searcher: Option<Searcher>,
    running: Option<Running>,
}

struct Running {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Searcher>,
}

impl Engine {
    pub(crate) fn new(say: Say) -> Self {
        Self {
            say,
            game: Ok(Game::new(Board::default())),
            evaluator: evaluator::open(BUILTIN),
            is_chess960: false,
            hash_mib: DEFAULT_HASH_MIB,
            overhead: Duration::from_millis(DEFAULT_OVERHEAD_MS),
            searcher: None,
            running: None,
        }
    }

    pub(crate) fn obey(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("uci") => self.introduce(),
            Some("isready") => self.ready(),
            Some("ucinewgame") => self.forget(),
            Some("setoption") => self.set_option(line.trim()),
            Some("position") => self.set_position(words),
            Some("go") => self.go(words),
            Some("stop" | "ponderhit") => self.stop(),
            Some("bench") => bench(words.next(), &*self.say),
            _ => {}
        }
    }

    fn introduce(&self) {
        for line in [
            concat!("id name chess-nnue ", env!("CARGO_PKG_VERSION")),
            concat!("id author ", env!("CARGO_PKG_AUTHORS")),
            &format!("option name Hash type spin default {DEFAULT_HASH_MIB} min 1 max 65536"),
            "option name Threads type spin default 1 min 1 max 1",
            &format!(
                "option name Move Overhead type spin default {DEFAULT_OVERHEAD_MS} min 0 max 5000"
            ),
            "option name UCI_Chess960 type check default false",
            &format!("option name EvalFile type string default {BUILTIN}"),
            "uciok",
        ] {
            (self.say)(line);
        }
    }

    /// Memory is asked for here, where no clock runs.
    fn ready(&mut self) {
        if self.running.is_none()
            && let Ok(evaluator) = &self.evaluator
        {
            let make = || Search::new(evaluator.evaluation(), self.hash_mib << 20);
            self.searcher.get_or_insert_with(make);
        }
        (self.say)("readyok");
    }

    fn forget(&mut self) {
        self.stop();
        if let Some(searcher) = &mut self.searcher {
            searcher.clear();
        }
    }

    /// A value may be a path with any white space inside.
    fn set_option(&mut self, line: &str) {
        self.stop();
        let without_value = (line.strip_suffix(" value").unwrap_or(line), "");
        let (names, value) = line.split_once(" value ").unwrap_or(without_value);
        let words = names.split_whitespace().skip(1);
        let name: Vec<_> = words.skip_while(|&word| word == "name").collect();
        if let Err(error) = self.set(&name.join(" ").to_ascii_lowercase(), value.trim()) {
            self.tell(&format!("error: {error}"));
        }
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "hash" => {
                self.hash_mib = number("Hash", value, 1, 65_536)? as usize;
                self.searcher = None;
            }
            "threads" => _ = number("Threads", value, 1, 1)?,
            "move overhead" => {
                let milliseconds = number("Move Overhead", value, 0, 5_000)?;
                self.overhead = Duration::from_millis(milliseconds);
            }
            "uci_chess960" => {
                let value = value.to_ascii_lowercase().parse();
                self.is_chess960 = value.map_err(|_| "UCI_Chess960 is true or false")?;
            }
            "evalfile" => {
                self.searcher = None;
                self.evaluator = evaluator::open(value);
                let evaluator = self.evaluator.as_ref().map_err(String::clone)?;
                self.tell(&evaluator::description(evaluator));
            }
            other => return Err(format!("no option is called {other:?}")),
        }
        Ok(())
    }

    fn tell(&self, about: &str) {
        (self.say)(&format!("info string {about}"));
    }

    fn set_position<'a>(&mut self, words: impl Iterator<Item = &'a str>) {
        self.stop();
        self.game = Game::read(words);
        if let Err(error) = &self.game {
            self.tell(&format!("error: {error}"));
        }
    }

    fn go<'a>(&mut self, words: impl Iterator<Item = &'a str>) {
        self.stop();
        match (&self.game, &self.evaluator) {
            (Ok(game), Ok(evaluator)) => {
                let asked = Asked::read(words, &game.board, self.overhead);
                for word in &asked.unknown {
                    self.tell(&format!("go: not understood: {word}"));
                }
                let make = || Search::new(evaluator.evaluation(), self.hash_mib << 20);
                let searcher = self.searcher.take().unwrap_or_else(make);
                self.running = Some(self.search(game, searcher, asked));
            }
            // Any move would be of another game, or of another player.
            (Err(error), _) | (_, Err(error)) => {
                self.tell(&format!("error: {error}"));
                (self.say)("bestmove 0000");
            }
        }
    }

    fn search(&self, game: &Game, mut searcher: Searcher, asked: Asked) -> Running {
        let stop = Arc::new(AtomicBool::new(false));
        let (told_to_stop, say) = (stop.clone(), self.say.clone());
        let (board, before) = (game.board.clone(), game.before.clone());
        let is_chess960 = self.is_chess960;
        let limits = asked.limits.clone().stop(stop.clone());
        let thread = thread::spawn(move || {
            let found = searcher.search_and_tell(&board, &before, limits, |found| {
                say(&info(found, &board, is_chess960));
                if asked.is_mate_enough(mate_in_moves(found.score)) {
                    told_to_stop.store(true, Ordering::Relaxed);
                }
            });
            if found.best.is_none() {
                say(&info(&found, &board, is_chess960));
            }
            while asked.waits && !told_to_stop.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
            let best = found.best.map(|best| text(&board, best, is_chess960));
            say(&format!("bestmove {}", best.as_deref().unwrap_or("0000")));
            searcher
        });
        Running { stop, thread }
    }

    /// Ends a search, if there is one; it says its best move.
    pub(crate) fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop.store(true, Ordering::Relaxed);
            self.searcher = running.thread.join().ok();
        }
    }
}

fn number(name: &str, value: &str, least: u64, most: u64) -> Result<u64, String> {
    let number = value.parse().ok();
    number
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| format!("{name} is {least} to {most}, not {value:?}"))
}
