//! Records beside the crates that define their formats: `cargo bench -p chess-records`.
//!
//! Throughput as a multiple of the peer's, in one run on one core of an AMD EPYC with AVX-512 (VBMI2)
//! and was quiet; 4096 records, games of about 45 plies:
//!
//! | what | peer | ratio |
//! |---|---|---|
//! | `expand_men`, scalar | bulletformat 1.8, its iterator into the same arrays | 1.4 |
//! | `expand_men`, dispatched (AVX-512) | the same | 19 |
//! | `expand_men`, dispatched (AVX-512) | bulletformat 1.8, its iterator alone | 19 |
//! | `ViriGames::new` and `positions` | viriformat 3.0, `deserialise_from` and `visit_positions` | 0.82 |
//! | `positions` | viriformat 3.0, `visit_positions` | 0.85 |
//!
//! The peer's replay plays moves without looking whether they are legal; ours checks every one.
// Helpers of benches fail by panicking.
#![allow(clippy::unwrap_used, missing_docs)]

use std::hint::black_box;

use bulletformat::ChessBoard;
use chess_records::{
    BulletRecord, LabelledPosition, MarlinRecord, MenBatch, NO_MAN, ViriGames, expand_men_scalar,
};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use viriformat::dataformat::Game;

/// The golden games whose clocks stay in viriformat's bounds, over and over.
fn game_bytes() -> Vec<u8> {
    let bytes = include_bytes!("../tests/golden/viri/valid/games.viri");
    let games = ViriGames::new(bytes).unwrap();
    let mut sound = Vec::new();
    for game in games.iter().take(110) {
        let mut positions = game.positions().map(Result::unwrap);
        if positions.all(|here| here.labelled.position.halfmove_clock() < Some(99)) {
            let start = game.byte_offset() as usize;
            sound.extend(&bytes[start..start + game.byte_len()]);
        }
    }
    sound.repeat(4)
}

fn positions() -> Vec<LabelledPosition> {
    let games = ViriGames::new(game_bytes()).unwrap();
    let positions = games.positions().map(|here| here.unwrap().labelled);
    positions.take(4096).collect()
}

/// The same position for the peer.
fn bullet_board(record: &BulletRecord) -> ChessBoard {
    let bytes = record.to_bytes();
    ChessBoard {
        occ: record.occupied(),
        pcs: bytes[8..24].try_into().unwrap(),
        score: record.score_cp(),
        result: record.result(),
        ksq: record.own_king(),
        opp_ksq: record.opponent_king(),
        extra: record.extra(),
    }
}

type Arrays = (Vec<u8>, Vec<[u8; 32]>, Vec<[u8; 32]>);

/// What `expand_men` writes, by the peer's iterator.
fn iterate(boards: &[ChessBoard], (counts, squares, pieces): &mut Arrays) {
    let places = counts.iter_mut().zip(squares).zip(pieces);
    for (board, ((count, squares), pieces)) in boards.iter().zip(places) {
        let mut men = 0;
        for (piece, square) in *board {
            (squares[men], pieces[men]) = (square, piece);
            men += 1;
        }
        *count = men as u8;
        squares[men..].fill(NO_MAN);
        pieces[men..].fill(NO_MAN);
    }
}

fn iterate_only(boards: &[ChessBoard]) -> u32 {
    let men = boards.iter().flat_map(|&board| board);
    men.fold(0, |sum, (piece, square)| {
        sum.wrapping_add(u32::from(piece) << 8 | u32::from(square))
    })
}

fn expand(c: &mut Criterion) {
    let positions = positions();
    let bullet = |labelled| BulletRecord::from_labelled_lossy(labelled, [0; 3]).unwrap();
    let records: Vec<_> = positions.iter().map(bullet).collect();
    let boards: Vec<_> = records.iter().map(bullet_board).collect();
    let len = records.len();
    let mut peer: Arrays = (vec![0; len], vec![[0; 32]; len], vec![[0; 32]; len]);
    iterate(&boards, &mut peer);
    let mut batch = MenBatch::new();
    batch.fill(&records).unwrap();
    assert_eq!(batch.counts(), peer.0);
    assert_eq!(batch.squares(), peer.1);
    assert_eq!(batch.pieces(), peer.2);
    let marlin = |labelled| MarlinRecord::encode(labelled, 0).unwrap();
    let marlin: Vec<_> = positions.iter().map(marlin).collect();

    let mut group = c.benchmark_group("expand");
    group.throughput(Throughput::Elements(len as u64));
    group.bench_function("bulletformat, iterator", |b| {
        b.iter(|| iterate_only(black_box(&boards)));
    });
    group.bench_function("bulletformat, into arrays", |b| {
        b.iter(|| iterate(black_box(&boards), &mut peer));
    });
    group.bench_function("bullet, scalar", |b| {
        let (counts, squares, pieces) = &mut peer;
        b.iter(|| expand_men_scalar(black_box(&records), counts, squares, pieces).unwrap());
    });
    group.bench_function("bullet, dispatched", |b| {
        b.iter(|| batch.fill(black_box(&records)).unwrap());
    });
    group.bench_function("marlin, dispatched", |b| {
        b.iter(|| batch.fill(black_box(&marlin)).unwrap());
    });
    group.finish();
}

/// The games as the peer has them, with every move checked.
fn peer_games(bytes: &[u8]) -> Vec<Game> {
    let mut reader = bytes;
    let mut games = Vec::new();
    while !reader.is_empty() {
        games.push(Game::deserialise_from(&mut reader, Vec::new()).unwrap());
    }
    games
}

fn peer_replay(games: &[Game]) -> u64 {
    let mut count = 0;
    for game in games {
        game.visit_positions(|board, score_cp| {
            black_box((board, score_cp));
            count += 1;
        });
    }
    count
}

fn our_replay<D: AsRef<[u8]>>(games: &ViriGames<D>) -> u64 {
    let positions = games.positions().map(|here| black_box(here.unwrap()));
    positions.count() as u64
}

fn replay(c: &mut Criterion) {
    let bytes = game_bytes();
    let ours = ViriGames::new(&bytes).unwrap();
    let peers = peer_games(&bytes);
    assert_eq!(our_replay(&ours), peer_replay(&peers));

    let mut group = c.benchmark_group("replay");
    group.throughput(Throughput::Elements(ours.position_count()));
    group.bench_function("viriformat, read and checked", |b| {
        b.iter(|| peer_replay(&peer_games(black_box(&bytes))));
    });
    group.bench_function("viri, read and checked", |b| {
        b.iter(|| our_replay(&ViriGames::new(black_box(&bytes)).unwrap()));
    });
    group.bench_function("viriformat, unchecked", |b| {
        b.iter(|| peer_replay(black_box(&peers)));
    });
    group.bench_function("viri, checked", |b| {
        b.iter(|| our_replay(black_box(&ours)));
    });
    group.finish();
}

criterion_group!(benches, expand, replay);
criterion_main!(benches);
