//! Nothing is allocated once a network and a stack are there.

#![allow(clippy::unwrap_used)]
#![allow(unsafe_code)] // a global allocator is unsafe to implement

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use chess_nnue::{
    AccumulatorStack, Architecture, Backend, Delta, Evaluator, KingBuckets, Network, Weights,
};
use chess_records::{Color, Piece, PieceType, Position, Square};

/// The system's allocator, which counts what each thread asks of it.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // A thread that is ending has no counter any more, and nobody who would read it.
    let _ = ALLOCATIONS.try_with(|allocations| allocations.set(allocations.get() + 1));
}

// SAFETY: every call goes to the system's allocator as it is; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's promise.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What this thread allocates while it does something.
fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

/// A network whose hidden values fit 16 bits, or not; plain, or with mirrored king buckets.
fn network(feature_weight: i16, with_buckets: bool) -> Network {
    let mut architecture = Architecture::new(80).unwrap();
    if with_buckets {
        let map = std::array::from_fn(|square| (square % 4) as u8);
        architecture = architecture
            .with_king_buckets(KingBuckets::new(map, true).unwrap())
            .with_output_buckets(8)
            .unwrap();
    }
    let mut weights = Weights::zero(&architecture);
    weights.feature_weights.fill(feature_weight);
    weights.output_weights.fill(5);
    Network::new(architecture, &weights).unwrap()
}

/// Narrow, wide, and narrow with king buckets, with every instruction set.
fn networks() -> Vec<Network> {
    let sets = Backend::available().flat_map(|backend| {
        [(1, false), (20_000, false), (1, true)]
            .map(|(weight, buckets)| network(weight, buckets).with_backend(backend))
    });
    sets.collect()
}

/// Kings that walk over the mirror line and back, with a pawn's move between.
fn walk() -> [Delta; 4] {
    let king = Piece::new(Color::White, PieceType::King);
    let pawn = Piece::new(Color::Black, PieceType::Pawn);
    [
        Delta::quiet(king, Square::E1, Square::D2),
        Delta::quiet(pawn, Square::A7, Square::A6),
        Delta::quiet(king, Square::D2, Square::E1),
        Delta::quiet(pawn, Square::A6, Square::A7),
    ]
}

fn board() -> Position {
    Position::from_fen("r3k3/p7/8/8/8/8/7P/4K2R w - - 0 1").unwrap()
}

#[test]
fn the_counter_counts() {
    let counted = allocations(|| drop(std::hint::black_box(vec![0u8; 100])));
    assert_eq!(counted, 1);
    assert!(allocations(|| drop(AccumulatorStack::new(&network(1, false)))) > 1);
}

#[test]
fn a_search_allocates_nothing() {
    let board = board();
    for network in networks() {
        let mut stack = AccumulatorStack::new(&network);
        let evaluator = Evaluator::new(&network);
        let counted = allocations(|| {
            for _ in 0..3 {
                stack.reset(&board);
                for (ply, delta) in walk().iter().cycle().take(40).enumerate() {
                    stack.push(delta);
                    if ply % 3 != 0 {
                        std::hint::black_box(stack.evaluate(&network));
                    }
                    stack.push_null();
                    stack.push_null();
                    std::hint::black_box(evaluator.evaluate_or(&mut stack, |_, _| 0));
                    if ply % 5 == 0 {
                        stack.pop();
                        stack.push_null();
                    }
                }
                while stack.ply() > 0 {
                    stack.pop();
                    std::hint::black_box(stack.evaluate(&network));
                }
            }
        });
        assert_eq!(counted, 0, "{}", network.backend());
    }
}

#[test]
fn networks_of_one_size_and_width_take_turns_without_allocating() {
    let networks = [network(1, false), network(2, false)];
    let mut stack = AccumulatorStack::new(&networks[0]);
    let counted = allocations(|| {
        for network in networks.iter().cycle().take(6) {
            std::hint::black_box(stack.evaluate(network));
        }
    });
    assert_eq!(counted, 0);
}

#[test]
fn scores_from_nothing_allocate_nothing() {
    let boards = [board(); 5];
    let mut scores = [0; 5];
    for network in networks() {
        let counted = allocations(|| {
            scores[0] = network.evaluate(&boards[0]);
            network.evaluate_many(&boards, &mut scores);
        });
        assert_eq!(counted, 0, "{}", network.backend());
    }
}
