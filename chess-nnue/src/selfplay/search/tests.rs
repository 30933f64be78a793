use std::string::{String, ToString};
use std::vec::Vec;

use cozy_chess::util::display_uci_move;

use super::*;
use crate::selfplay::hand_written::HandWritten;
use crate::selfplay::score::{MATE, mate_in_moves};

fn board(fen: &str) -> Board {
    Board::from_fen(fen, false).unwrap()
}

fn searcher() -> Search<HandWritten> {
    Search::new(HandWritten::new(), 4 << 20)
}

fn best(fen: &str, nodes: u64) -> (String, i32) {
    let board = board(fen);
    let found = searcher().search(&board, &[], Limits::new().nodes(nodes));
    let text = display_uci_move(&board, found.best.unwrap()).to_string();
    (text, found.score)
}

#[test]
fn mates() {
    for (fen, moves, in_moves) in [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", 1),
        (
            "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
            "h5f7",
            1,
        ),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6", 2),
        ("8/8/8/8/8/6k1/4r3/6K1 b - - 0 1", "e2e1", 1),
    ] {
        let (played, score) = best(fen, 20_000);
        assert_eq!(
            (played.as_str(), mate_in_moves(score)),
            (moves, Some(in_moves)),
            "{fen}"
        );
    }
}

#[test]
fn what_hangs_is_taken() {
    let (played, _) = best("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", 5_000);
    assert_eq!(played, "e4d5");
}

#[test]
fn a_game_that_is_over() {
    let mated = searcher().search(
        &board("R3k3/8/4K3/8/8/8/8/8 b - - 0 1"),
        &[],
        Limits::new().nodes(100),
    );
    assert_eq!((mated.best, mated.score), (None, -MATE));
    let stalemated = board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    let found = searcher().search(&stalemated, &[], Limits::new().nodes(100));
    assert_eq!((found.best, found.score), (None, 0));
}

#[test]
fn the_side_that_is_worse_repeats() {
    // Black is a knight down and about to lose more, but can check for ever.
    let fen = "N7/RR4pk/7p/8/8/8/6PK/4q3 b - - 0 1";
    let found = searcher().search(&board(fen), &[], Limits::new().nodes(30_000));
    assert_eq!(found.score, 0, "{found:?}");
}

#[test]
fn the_same_search_twice_is_the_same() {
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let search = || {
        let mut found = searcher().search(&board(fen), &[], Limits::new().nodes(30_000));
        found.elapsed = Duration::ZERO;
        found
    };
    assert_eq!(search(), search());
    assert_eq!(search().nodes, 30_000);
}

/// The nodes and scores of some searches. They change when the search does: what is to make it
/// faster alone must leave them.
#[test]
fn the_tree_is_what_it_was() {
    let positions = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "2r3k1/1q1nbppp/r3p3/3pP3/pPpP4/P1Q2N2/2RN1PPP/2R4K b - b3 0 23",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    ];
    let found = positions.map(|fen| {
        let found = searcher().search(&board(fen), &[], Limits::new().depth(8));
        (found.nodes, found.score)
    });
    assert_eq!(found, [(51_889, -16), (15_024, 343), (17_486, 32)]);
}

/// Plays out an ending with 3,000 nodes a move against a defender with as many.
fn mates_within(fen: &str, plies: usize) {
    let (mut board, mut before) = (board(fen), Vec::new());
    let mut players = [searcher(), searcher()];
    for ply in 0..plies {
        let player = &mut players[ply % 2];
        let found = player.search(&board, &before, Limits::new().nodes(3_000));
        let Some(played) = found.best else {
            assert!(!board.checkers().is_empty(), "stalemate: {board}");
            return;
        };
        before.push(board.clone());
        board.play(played);
    }
    panic!("no mate within {plies} plies: {board}");
}

#[test]
fn queen_and_rook_mate_a_bare_king() {
    for fen in [
        "8/8/8/3k4/8/8/8/Q3K3 w - - 0 1",
        "8/8/3k4/8/8/8/4K3/7Q w - - 0 1",
        "8/8/8/3k4/8/8/8/R3K3 w - - 0 1",
        "8/8/4k3/8/8/2K5/8/7R w - - 0 1",
    ] {
        mates_within(fen, 80);
    }
}

#[test]
fn a_limit_of_depth() {
    let found = searcher().search(&Board::default(), &[], Limits::new().depth(4));
    assert_eq!(found.depth, 4);
    assert!(!found.line.is_empty());
}

#[test]
fn without_time_it_still_looks_one_move_ahead() {
    let clock = Clock {
        left: Duration::from_millis(1),
        increment: Duration::ZERO,
        moves_to_go: None,
    };
    let limits = Limits::new().clock(clock, Duration::from_millis(20));
    // The first legal move is the king's.
    let board = board("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1");
    let found = searcher().search(&board, &[], limits);
    assert_eq!((found.best, found.depth), ("e4d5".parse().ok(), 1));
}

#[test]
fn limits_of_nothing_and_a_table_of_nothing() {
    let mut searcher = Search::new(HandWritten::new(), 0);
    for limits in [
        Limits::new().nodes(0),
        Limits::new().depth(0),
        Limits::new().depth(5).time(Duration::ZERO),
        Limits::new().nodes(0).depth(0).time(Duration::ZERO),
    ] {
        let board = Board::default();
        let found = searcher.search(&board, &[], limits.clone());
        assert!(board.is_legal(found.best.unwrap()), "{limits:?}");
    }
}

#[test]
fn a_knight_is_made_where_only_it_mates() {
    let (played, score) = best("6br/5Ppk/7p/8/8/8/8/K7 w - - 0 1", 2_000);
    assert_eq!((&*played, mate_in_moves(score)), ("f7f8n", Some(1)));
}

#[test]
fn the_last_of_fifty_moves_mates_or_draws() {
    let (_, score) = best("7k/8/5KQ1/8/8/8/8/8 w - - 99 80", 2_000);
    assert_eq!(mate_in_moves(score), Some(1));
    let (_, score) = best("4k3/8/8/8/8/8/8/4KR2 w - - 99 90", 2_000);
    assert_eq!(score, 0);
}

#[test]
fn some_moves_only() {
    let board = board("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1");
    let [taking, king, illegal] = ["e4d5", "e1e2", "a1a2"].map(|text| text.parse().unwrap());
    let mut searcher = searcher();
    let mut found = |moves: &[Move]| {
        let limits = Limits::new().depth(3).root_moves(moves);
        let found = searcher.search(&board, &[], limits);
        // What some moves are worth is not what the position is.
        assert!(searcher.table.get(board.hash()).is_none());
        found
    };
    let kept = found(&[illegal, king]);
    assert_eq!((kept.best, kept.line[0]), (Some(king), king));
    assert_eq!(found(&[king, taking]).best, Some(taking));
    assert_eq!(found(&[illegal]).best, None);
}

#[test]
fn chess960_castling_is_searched() {
    // King f1 and rook g1 swap; everything else is blocked from doing better.
    let board = Board::chess960_startpos(0);
    let found = searcher().search(&board, &[], Limits::new().nodes(5_000));
    assert!(board.is_legal(found.best.unwrap()));
}
