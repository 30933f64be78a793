//! Chess-nnue beside its peers and beside a loop written by hand, on the same positions with 256
//! hidden values.

#[cfg(target_arch = "x86_64")]
pub mod by_hand;
pub mod contestants;
pub mod halfkp;
pub mod noru_peer;
pub mod noru_training;
#[cfg(target_arch = "x86_64")]
pub mod plain_training;
pub mod searching;
pub mod training;
pub mod training_plot;

use chess_nnue::{Architecture, Delta, Network, Weights};
use chess_records::{Board, Position};

/// N in every contest.
pub const HIDDEN: usize = 256;

/// A position and a capture in it that is not the king's: two rows off and one on for each view.
pub struct Case {
    pub before: Position,
    pub delta: Delta,
    pub after: Position,
}

/// Captures from seeded random games.
pub fn cases(count: usize) -> Vec<Case> {
    let mut random = Random(2);
    let mut cases = Vec::new();
    while cases.len() < count {
        play(&mut random, &mut cases);
    }
    cases.truncate(count);
    cases
}

fn play(random: &mut Random, cases: &mut Vec<Case>) {
    let mut board = cozy_chess::Board::default();
    for _ in 0..60 {
        let mut moves = Vec::new();
        board.generate_moves(|of_piece| {
            moves.extend(of_piece);
            false
        });
        if moves.is_empty() {
            return;
        }
        let mv = moves[random.below(moves.len())];
        let delta = Delta::from_cozy_chess(&board, mv);
        let is_king = board.king(board.side_to_move()) == mv.from;
        let before = position(&board);
        board.play_unchecked(mv);
        if delta.lifted().len() == 2 && delta.put().len() == 1 && !is_king {
            let after = position(&board);
            cases.push(Case {
                before,
                delta,
                after,
            });
        }
    }
}

fn position(board: &cozy_chess::Board) -> Position {
    Position::new(board.placement(), Board::side_to_move(board))
}

/// Weights as a trained network has them in size: hidden values on both sides of the clip, and sums
/// that fit 32 bits.
pub fn weights() -> Weights {
    let architecture = architecture();
    let mut random = Random(1);
    let mut weights = Weights::zero(&architecture);
    let mut fill = |numbers: &mut [i16], limit: i16| {
        for number in numbers {
            *number = random.below(2 * limit as usize + 1) as i16 - limit;
        }
    };
    fill(&mut weights.feature_weights, 40);
    fill(&mut weights.feature_biases, 40);
    fill(&mut weights.output_weights, 100);
    weights
}

pub fn architecture() -> Architecture {
    Architecture::new(HIDDEN).expect("256 is a hidden size")
}

pub fn network() -> Network {
    Network::new(architecture(), &weights()).expect("the lengths are right")
}

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }
}
