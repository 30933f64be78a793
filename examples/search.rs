//! Where a search pushes, pops and evaluates: alpha-beta with quiescence and null moves, on
//! cozy-chess.
//!
//! Ten positions are searched to a fixed depth on every instruction set that this machine has. The
//! scores are exact integers, so the searches visit the very same nodes; their number is the
//! signature that an engine's tests would keep.
//!
//! `cargo run --release --example search [network.nnue]`

#![allow(clippy::print_stdout)]

use std::cmp::Reverse;
use std::error::Error;

use chess_nnue::{AccumulatorStack, Architecture, Backend, Delta, Evaluator, Network, Weights};
use chess_records::{Color, Piece, PieceType, Placement};
use cozy_chess::{Board, Move};

const DEPTH: u32 = 4;
const MATE: i32 = 30_000; // over every evaluation, which end at 20,000

/// The nodes of all ten positions with the network built below.
const SIGNATURE: u64 = 241_254;

const POSITIONS: [&str; 10] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "rnbqkb1r/pp1p1ppp/4pn2/2p5/2PP4/2N5/PP2PPPP/R1BQKBNR w KQkq - 0 4",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 2 3",
    "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 0 1",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "4r1k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1",
    "8/8/8/3k4/8/3K4/3R4/8 b - - 0 1",
];

/// One search thread: it shares the network with others and has a stack of its own.
struct Search<'n> {
    evaluator: Evaluator<'n>,
    stack: AccumulatorStack,
    nodes: u64,
}

impl<'n> Search<'n> {
    fn new(network: &'n Network) -> Self {
        Self {
            evaluator: Evaluator::new(network),
            stack: AccumulatorStack::new(network),
            nodes: 0,
        }
    }

    /// The score of a position for its side to move.
    fn root(&mut self, board: &Board) -> i32 {
        self.stack.reset(board);
        self.alpha_beta(board, DEPTH, -MATE, MATE)
    }

    fn alpha_beta(&mut self, board: &Board, depth: u32, mut alpha: i32, beta: i32) -> i32 {
        if depth == 0 {
            return self.quiesce(board, alpha, beta);
        }
        self.nodes += 1;
        if depth > 2 && self.passing_is_enough(board, depth, beta) {
            return beta;
        }
        let moves = moves(board, |_| true);
        if moves.is_empty() {
            let in_check = !board.checkers().is_empty();
            return if in_check { self.mated() } else { 0 };
        }
        for mv in moves {
            let score = -self.after(board, mv, |search, next| {
                search.alpha_beta(next, depth - 1, -beta, -alpha)
            });
            if score >= beta {
                return beta;
            }
            alpha = alpha.max(score);
        }
        alpha
    }

    /// Whether the side to move could even pass and still be above beta. A null move has no `Delta`.
    fn passing_is_enough(&mut self, board: &Board, depth: u32, beta: i32) -> bool {
        let Some(passed) = board.null_move() else {
            return false; // in check
        };
        if self.evaluate(board) < beta {
            return false;
        }
        self.stack.push_null();
        let score = -self.alpha_beta(&passed, depth - 3, -beta, 1 - beta);
        self.stack.pop();
        score >= beta
    }

    /// Captures alone (but for those in passing), until none is worth it.
    fn quiesce(&mut self, board: &Board, mut alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        let score = self.evaluate(board);
        if score >= beta {
            return beta;
        }
        alpha = alpha.max(score);
        let enemies = board.colors(!board.side_to_move());
        for mv in moves(board, |mv| enemies.has(mv.to)) {
            let score = -self.after(board, mv, |search, next| {
                search.quiesce(next, -beta, -alpha)
            });
            if score >= beta {
                return beta;
            }
            alpha = alpha.max(score);
        }
        alpha
    }

    /// What `search` says of the position after a move. Every move is made here, so that the stack
    /// and the board never part: the `Delta` is told from the board before the move, and the pop
    /// comes on every path.
    fn after(
        &mut self,
        board: &Board,
        mv: Move,
        search: impl FnOnce(&mut Self, &Board) -> i32,
    ) -> i32 {
        let mut next = board.clone();
        next.play_unchecked(mv);
        self.stack.push(&Delta::from_cozy_chess(board, mv));
        let score = search(self, &next);
        self.stack.pop();
        score
    }

    /// The network's score, or a count of material where networks have nothing to say.
    fn evaluate(&mut self, board: &Board) -> i32 {
        debug_assert_eq!(
            self.stack.evaluate(self.evaluator.network()),
            self.evaluator.network().evaluate(board),
            "a move was not pushed: {board}"
        );
        self.evaluator.evaluate_or(&mut self.stack, material)
    }

    /// Nearer mates are worse.
    fn mated(&self) -> i32 {
        self.stack.ply() as i32 - MATE
    }
}

fn material(placement: &Placement, mover: Color) -> i32 {
    let values = [100, 320, 330, 500, 900, 0];
    let of = |color| -> i32 {
        let men = PieceType::ALL.into_iter().zip(values);
        men.map(|(man, value)| value * placement.mask(Piece::new(color, man)).count_ones() as i32)
            .sum()
    };
    of(mover) - of(mover.opponent())
}

/// The legal moves that `wanted` wants: captures first, of the largest victims by the smallest men.
fn moves(board: &Board, wanted: impl Fn(&Move) -> bool) -> Vec<Move> {
    let mut moves = Vec::with_capacity(64);
    board.generate_moves(|of_piece| {
        moves.extend(of_piece.into_iter().filter(&wanted));
        false
    });
    // Sorting keeps the order of equals, and so the number of nodes.
    let enemies = board.colors(!board.side_to_move());
    moves.sort_by_key(|mv| {
        let victim = board.piece_on(mv.to).filter(|_| enemies.has(mv.to));
        (Reverse(victim), victim.and(board.piece_on(mv.from)))
    });
    moves
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1);
    let network = match &path {
        Some(path) => Network::load(path)?,
        None => random_network(1)?,
    };
    let mut signatures = Vec::new();
    for backend in Backend::available() {
        let network = network.clone().with_backend(backend);
        let mut search = Search::new(&network);
        println!("{backend}");
        for fen in POSITIONS {
            let board = Board::from_fen(fen, false).map_err(|error| format!("{fen}: {error}"))?;
            let before = search.nodes;
            let score = search.root(&board);
            println!("  {score:+6} cp {:8} nodes  {fen}", search.nodes - before);
        }
        println!("  signature {}", search.nodes);
        signatures.push(search.nodes);
    }
    assert!(signatures.iter().all(|nodes| *nodes == signatures[0]));
    if path.is_none() {
        assert_eq!(signatures[0], SIGNATURE);
    }
    Ok(())
}

/// A small network that knows nothing of chess, the same on every machine.
fn random_network(seed: u64) -> Result<Network, Box<dyn Error>> {
    let architecture = Architecture::new(32)?;
    let mut weights = Weights::zero(&architecture);
    let mut state = seed;
    let mut fill = |numbers: &mut [i16], limit: i16| {
        for number in numbers {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            *number = ((state >> 33) % (2 * limit as u64 + 1)) as i16 - limit;
        }
    };
    fill(&mut weights.feature_weights, 60);
    fill(&mut weights.feature_biases, 60);
    fill(&mut weights.output_weights, 60);
    Ok(Network::new(architecture, &weights)?)
}
