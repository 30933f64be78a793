//! How long a search goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::vec::Vec;

use cozy_chess::Move;

/// When a search ends; without any limit it ends at the greatest depth.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Limits {
    pub(super) nodes: Option<u64>,
    pub(super) depth: Option<u32>,
    pub(super) soft: Option<Duration>,
    pub(super) hard: Option<Duration>,
    pub(super) stop: Option<Arc<AtomicBool>>,
    pub(super) root_moves: Option<Vec<Move>>,
}

/// What a player's clock shows.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs)] // The fields of UCI's `go`.
pub struct Clock {
    /// The time left.
    pub left: Duration,
    /// What each move adds.
    pub increment: Duration,
    /// The moves until time is added, if that is known.
    pub moves_to_go: Option<u32>,
}

impl Limits {
    /// No limit.
    pub fn new() -> Self {
        Self::default()
    }

    /// At most so many nodes.
    pub const fn nodes(mut self, nodes: u64) -> Self {
        self.nodes = Some(nodes);
        self
    }

    /// At most so many plies, besides extensions.
    pub const fn depth(mut self, depth: u32) -> Self {
        self.depth = Some(depth);
        self
    }

    /// At most so long.
    pub const fn time(mut self, time: Duration) -> Self {
        self.hard = Some(time);
        self
    }

    /// As long as is sensible with a clock, `overhead` being lost on the way of each move.
    pub fn clock(mut self, clock: Clock, overhead: Duration) -> Self {
        let left = clock.left.saturating_sub(overhead);
        let moves = clock.moves_to_go.unwrap_or(30).clamp(1, 40);
        let share = (left / moves).saturating_add(three_quarters(clock.increment));
        // Never all of it: the clock must not fall even if the machine is busy.
        let most = three_quarters(left);
        self.soft = Some((share / 2).min(most));
        self.hard = Some(share.saturating_mul(3).min(most));
        self
    }

    /// Ends as soon as this is set, from another thread for one.
    pub fn stop(mut self, stop: Arc<AtomicBool>) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Only these moves are looked at in the position that is searched; those that are not legal there do
    /// not count. Without a legal one among them no move is found.
    pub fn root_moves(mut self, moves: &[Move]) -> Self {
        self.root_moves = Some(moves.to_vec());
        self
    }
}

/// However long it is.
fn three_quarters(time: Duration) -> Duration {
    time - time / 4
}

/// Limits from when a search began.
#[derive(Debug)]
pub(super) struct Deadline {
    limits: Limits,
    begun: Instant,
    reached: bool,
}

/// Nodes between looks at the clock.
const NODES_BETWEEN: u64 = 1024;

impl Deadline {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            begun: Instant::now(),
            reached: false,
        }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Whether the search has to end at once; stays so.
    pub(super) fn is_reached(&mut self, nodes: u64) -> bool {
        if !self.reached {
            let looks = nodes.is_multiple_of(NODES_BETWEEN);
            self.reached = self.limits.nodes.is_some_and(|most| nodes >= most)
                || looks && (self.is_stopped() || self.is_over(self.limits.hard));
        }
        self.reached
    }

    /// Whether another iteration is worth beginning. The first one is, however late it is: it takes next to
    /// no time, and without it any move would be played.
    pub(super) fn allows_iteration(&self, depth: u32) -> bool {
        let deep = self.limits.depth.is_some_and(|most| depth > most);
        let late = self.is_stopped() || self.is_over(self.limits.soft);
        !self.reached && !deep && (depth == 1 || !late)
    }

    /// The moves to look at in the position that is searched, if not all.
    pub(super) fn root_moves(&self) -> Option<&[Move]> {
        self.limits.root_moves.as_deref()
    }

    fn is_stopped(&self) -> bool {
        let stop = self.limits.stop.as_ref();
        stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    fn is_over(&self, time: Option<Duration>) -> bool {
        time.is_some_and(|time| self.elapsed() >= time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_never_used_up() {
        for (left, increment, moves_to_go) in
            [(1, 0, None), (60_000, 0, Some(1)), (100, 5_000, None)]
        {
            let clock = Clock {
                left: Duration::from_millis(left),
                increment: Duration::from_millis(increment),
                moves_to_go,
            };
            let limits = Limits::new().clock(clock, Duration::from_millis(20));
            assert!(limits.hard.unwrap() < clock.left, "{clock:?}");
            assert!(limits.soft.unwrap() <= limits.hard.unwrap());
        }
    }

    #[test]
    fn a_clock_may_show_anything() {
        for moves_to_go in [None, Some(0), Some(u32::MAX)] {
            let clock = Clock {
                left: Duration::MAX,
                increment: Duration::MAX,
                moves_to_go,
            };
            let limits = Limits::new().clock(clock, Duration::ZERO);
            assert!(limits.hard.unwrap() < Duration::MAX);
        }
    }

    #[test]
    fn the_first_iteration_is_allowed_however_late_it_is() {
        let clock = Clock {
            left: Duration::from_millis(10),
            increment: Duration::ZERO,
            moves_to_go: None,
        };
        let limits = Limits::new().clock(clock, Duration::from_millis(20));
        let stop = Arc::new(AtomicBool::new(true));
        for limits in [limits, Limits::new().stop(stop)] {
            let deadline = Deadline::new(limits);
            assert!(deadline.allows_iteration(1) && !deadline.allows_iteration(2));
        }
    }

    #[test]
    fn a_flag_stops() {
        let stop = Arc::new(AtomicBool::new(false));
        let mut deadline = Deadline::new(Limits::new().stop(stop.clone()));
        assert!(!deadline.is_reached(1024) && deadline.allows_iteration(99));
        stop.store(true, Ordering::Relaxed);
        assert!(!deadline.is_reached(1025), "looks only sometimes");
        assert!(deadline.is_reached(2048) && deadline.is_reached(2049));
    }
}
