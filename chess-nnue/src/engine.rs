//! What a search needs around the bare score: a limit, and a way past the network.

use core::fmt;

use chess_records::{Board, Color, PieceType, Placement};

use crate::architecture::ArchitectureError;
use crate::network::Network;
use crate::stack::AccumulatorStack;

/// A network as a search asks it: scores are limited, and positions that a network learns nothing
/// about can be left to another evaluation.
///
/// ```
/// # use chess_nnue::{AccumulatorStack, Architecture, Evaluator, Network, Weights};
/// # let architecture = Architecture::new(16)?;
/// # let network = Network::new(architecture.clone(), &Weights::zero(&architecture))?;
/// let evaluator = Evaluator::new(&network);
/// let mut stack = AccumulatorStack::new(&network);
/// let score = evaluator.evaluate_or(&mut stack, |placement, mover| hand_written(placement, mover));
/// # fn hand_written(_: &chess_records::Placement, _: chess_records::Color) -> i32 { 0 }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Evaluator<'n, R = fn(&Placement) -> bool> {
    network: &'n Network,
    limit_cp: i32,
    rule: R,
}

impl<'n> Evaluator<'n> {
    /// The limit of a new evaluator, in centipawns: well below what engines call a mate.
    pub const DEFAULT_LIMIT_CP: i32 = 20_000;

    /// An evaluator with the usual limit and [`needs_fallback`] as its rule.
    #[must_use]
    pub const fn new(network: &'n Network) -> Self {
        Self {
            network,
            limit_cp: Self::DEFAULT_LIMIT_CP,
            rule: needs_fallback,
        }
    }
}

impl<'n, R: Fn(&Placement) -> bool> Evaluator<'n, R> {
    /// This evaluator with scores from `-limit_cp` to `limit_cp`.
    ///
    /// # Panics
    ///
    /// When the limit is negative.
    #[must_use]
    pub const fn with_limit(mut self, limit_cp: i32) -> Self {
        assert!(limit_cp >= 0, "the limit of scores is negative");
        self.limit_cp = limit_cp;
        self
    }

    /// This evaluator with another rule for the positions that the network is not asked about: a
    /// function, or a closure that knows what the engine's options say.
    #[must_use]
    pub fn with_rule<S: Fn(&Placement) -> bool>(self, rule: S) -> Evaluator<'n, S> {
        Evaluator {
            network: self.network,
            limit_cp: self.limit_cp,
            rule,
        }
    }

    /// The network.
    #[must_use]
    pub const fn network(&self) -> &'n Network {
        self.network
    }

    /// The network's score of the present position in centipawns for the side to move, within the
    /// limit. The rule is not asked.
    #[must_use]
    #[inline]
    pub fn evaluate(&self, stack: &mut AccumulatorStack) -> i32 {
        self.limited(stack.evaluate(self.network))
    }

    /// The score of the present position in centipawns for the side to move, within the limit: the
    /// network's, or where the rule holds that of `fallback`, which is given the placement and the
    /// side to move and answers for that side. The network is then not asked.
    #[must_use]
    #[inline]
    pub fn evaluate_or(
        &self,
        stack: &mut AccumulatorStack,
        fallback: impl FnOnce(&Placement, Color) -> i32,
    ) -> i32 {
        let mover = stack.side_to_move();
        let placement = stack.placement();
        if (self.rule)(placement) {
            return self.limited(fallback(placement, mover));
        }
        self.evaluate(stack)
    }

    #[inline]
    fn limited(&self, score_cp: i32) -> i32 {
        score_cp.clamp(-self.limit_cp, self.limit_cp)
    }
}

/// The rule, which may be a closure, is left out.
impl<R> fmt::Debug for Evaluator<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Evaluator")
            .field("network", &self.network.fingerprint())
            .field("limit_cp", &self.limit_cp)
            .finish_non_exhaustive()
    }
}

impl Network {
    /// This network with another eval scale: all its scores grow or shrink with it, rounded as if the
    /// network had been made with that scale. The [`fingerprint`](Self::fingerprint) changes too.
    ///
    /// # Errors
    ///
    /// [`ArchitectureError::EvalScale`] unless it is in 1…10000.
    pub fn with_eval_scale(self, eval_scale: i32) -> Result<Self, ArchitectureError> {
        let architecture = self.architecture().clone().with_eval_scale(eval_scale)?;
        let rescaled = Self::of_checked(architecture, &self.weights());
        Ok(rescaled.with_backend(self.backend()))
    }

    /// The scores of many positions that have nothing to do with each other, each as
    /// [`Network::evaluate`] gives it. Nothing is allocated.
    ///
    /// # Panics
    ///
    /// Unless there are as many scores as boards.
    pub fn evaluate_many<B: Board>(&self, boards: &[B], scores_cp: &mut [i32]) {
        assert_eq!(
            boards.len(),
            scores_cp.len(),
            "one score is needed for each board"
        );
        for (board, score_cp) in boards.iter().zip(scores_cp) {
            *score_cp = self.evaluate(board);
        }
    }
}

/// Whether a position is one that a network has hardly seen in training, so that a hand-written
/// evaluation does better: exactly one side has a bare king, or there are no pawns and at most five
/// men.
#[must_use]
#[inline]
pub fn needs_fallback(placement: &Placement) -> bool {
    let is_bare = |color: Color| placement.color(color).count_ones() == 1;
    let one_is_bare = is_bare(Color::White) != is_bare(Color::Black);
    one_is_bare || (placement.piece_type(PieceType::Pawn) == 0 && placement.men() <= 5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::Backend;
    use crate::architecture::Architecture;
    use crate::network::Weights;
    use alloc::string::ToString;
    use chess_records::Position;

    /// A network whose every score is this many centipawns.
    fn constant(score_cp: i32) -> Network {
        let architecture = Architecture::new(16).unwrap();
        let architecture = architecture.with_quantization(1, 1).unwrap();
        let architecture = architecture.with_eval_scale(1).unwrap();
        let mut weights = Weights::zero(&architecture);
        weights.output_biases[0] = score_cp;
        Network::new(architecture, &weights).unwrap()
    }

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).unwrap()
    }

    #[test]
    fn scores_stay_within_the_limit() {
        for (raw, usual, narrow) in [
            (20_001, 20_000, 300),
            (-20_001, -20_000, -300),
            (299, 299, 299),
            (i32::MIN, -20_000, -300),
        ] {
            let network = constant(raw);
            let mut stack = AccumulatorStack::new(&network);
            let evaluator = Evaluator::new(&network);
            assert_eq!(evaluator.evaluate(&mut stack), usual);
            let narrowed = evaluator.with_limit(300);
            assert_eq!(narrowed.evaluate(&mut stack), narrow);
            assert_eq!(narrowed.evaluate_or(&mut stack, |_, _| 0), narrow);
            assert_eq!(stack.evaluate(evaluator.network()), raw);
        }
    }

    #[test]
    #[should_panic(expected = "the limit of scores is negative")]
    fn a_negative_limit() {
        let _ = Evaluator::new(&constant(0)).with_limit(-1);
    }

    #[test]
    fn the_rule_decides_who_answers() {
        let network = constant(7);
        let mut stack = AccumulatorStack::new(&network);
        let evaluator = Evaluator::new(&network);
        assert_eq!(evaluator.evaluate_or(&mut stack, |_, _| 99_999), 7);
        stack.reset(&position("4k3/8/8/8/8/8/8/3QK3 b - - 0 1"));
        let fallback = |placement: &Placement, mover| {
            assert_eq!((placement.men(), mover), (3, Color::Black));
            -99_999
        };
        assert_eq!(evaluator.evaluate_or(&mut stack, fallback), -20_000);
        assert_eq!(evaluator.evaluate(&mut stack), 7);
        let never = evaluator.with_rule(|_| false);
        assert_eq!(never.evaluate_or(&mut stack, fallback), 7);
    }

    #[test]
    fn bare_kings_and_few_men_without_pawns_need_a_fallback() {
        for (fen, expected) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - -", false),
            ("4k3/8/8/8/8/8/PPPPPPPP/4K3 w - -", true), // a bare king
            ("4k3/pppppppp/8/8/8/8/8/4K3 w - -", true),
            ("4k3/8/8/8/8/8/8/4K3 w - -", true), // two bare kings, and no pawns
            ("4k3/7p/8/8/8/8/P7/4K3 w - -", false), // neither is bare
            ("4kr2/8/8/8/8/8/8/3QKR2 w - -", true), // five men, no pawns
            ("4kr2/8/8/8/8/8/P7/4KR2 w - -", false), // five men, a pawn
            ("3qkr2/8/8/8/8/8/8/3QKR2 w - -", false), // six men
        ] {
            let found = needs_fallback(&position(fen).placement());
            assert_eq!(found, expected, "{fen}");
        }
    }

    #[test]
    fn a_rule_may_be_a_closure() {
        let network = constant(7);
        let start = position("4k3/8/8/8/8/8/P7/4KR2 w - -");
        let mut stack = AccumulatorStack::with_capacity(&network, 0);
        stack.reset(&start);
        for fewest in [3, 4, 5] {
            let evaluator = Evaluator::new(&network)
                .with_rule(|placement: &Placement| placement.men() < fewest)
                .with_limit(100);
            let score = evaluator.evaluate_or(&mut stack, |_, _| -1000);
            assert_eq!(score, if fewest == 5 { -100 } else { 7 });
        }
    }

    #[test]
    fn another_scale_is_as_if_made_with_it() {
        let network = constant(123);
        let before = network.fingerprint();
        let backend = Backend::available().next().unwrap();
        let scaled = network.with_backend(backend).with_eval_scale(10).unwrap();
        let start = position("4k3/8/8/8/8/8/8/4K3 w - -");
        assert_eq!(scaled.evaluate(&start), 1230);
        assert_eq!(scaled.backend(), backend);
        assert_ne!(scaled.fingerprint(), before);
        assert_eq!(
            scaled.clone().with_eval_scale(0).unwrap_err().to_string(),
            "eval scale 0, expected 1 to 10000"
        );
        let stored = Network::from_bytes(&scaled.to_bytes()).unwrap();
        assert_eq!(stored.fingerprint(), scaled.fingerprint());
    }

    #[test]
    fn many_boards_are_scored_one_by_one() {
        let architecture = Architecture::new(16).unwrap();
        let mut weights = Weights::zero(&architecture);
        for (index, weight) in weights.feature_weights.iter_mut().enumerate() {
            *weight = (index % 31) as i16;
        }
        weights.output_weights.fill(9);
        let network = Network::new(architecture, &weights).unwrap();
        let boards = [
            "4k3/8/8/8/8/8/8/4K3 w - -",
            "4k3/8/8/8/8/8/8/3QK3 b - -",
            "4kr2/8/8/8/8/8/P7/4KR2 w - -",
        ]
        .map(position);
        let mut scores = [0; 3];
        network.evaluate_many(&boards, &mut scores);
        assert_eq!(scores, [0, 1, 2].map(|i| network.evaluate(&boards[i])));
        assert!(scores[0] != scores[1] && scores[1] != scores[2]);
    }

    #[test]
    #[should_panic(expected = "one score is needed for each board")]
    fn more_boards_than_scores() {
        let board = position("4k3/8/8/8/8/8/8/4K3 w - -");
        constant(0).evaluate_many(&[board], &mut []);
    }
}
