//! Makes a fixed number of calls, for callgrind to count their instructions.
//!
//! `instructions WHAT COUNT`: WHAT is `push` (push, evaluate, pop), `move` (push, pop), `output`
//! (evaluate where the values are known), `refresh` (reset, evaluate), or `hand-push`, `hand-output`,
//! `hand-refresh` for the loop written by hand. With COUNT 0 it does the preparations alone, whose
//! instructions are to be subtracted.

use std::env;
use std::hint::black_box;

use chess_nnue::AccumulatorStack;
use chess_nnue_benches::{Case, cases, network};

fn main() {
    let mut args = env::args().skip(1);
    let what = args.next().expect("what to call");
    let count = args.next().expect("how often to call it");
    let count: usize = count.parse().expect("the count of calls is a number");
    let cases = cases(64);
    let sum = match what.strip_prefix("hand-") {
        None => ours(&what, count, &cases),
        Some(what) => by_hand(what, count, &cases),
    };
    println!("{count} calls of {what}, sum of scores {sum}");
}

fn ours(what: &str, count: usize, cases: &[Case]) -> i64 {
    let network = network();
    let ready = |case: &Case| {
        let mut stack = AccumulatorStack::with_capacity(&network, 1);
        stack.reset(&case.before);
        let _ = stack.evaluate(&network);
        stack
    };
    let mut stacks: Vec<AccumulatorStack> = cases.iter().map(ready).collect();
    repeat(count, cases.len(), |index| {
        let (stack, case) = (&mut stacks[index], &cases[index]);
        match what {
            "push" => {
                stack.push(&case.delta);
                let score = stack.evaluate(&network);
                stack.pop();
                score
            }
            "move" => {
                stack.push(&case.delta);
                stack.pop();
                0
            }
            "output" => stack.evaluate(&network),
            "refresh" => {
                stack.reset(&case.after);
                stack.evaluate(&network)
            }
            _ => panic!("{what}: expected push, move, output or refresh"),
        }
    })
}

#[cfg(target_arch = "x86_64")]
fn by_hand(what: &str, count: usize, cases: &[Case]) -> i64 {
    use chess_nnue_benches::{
        by_hand::{ByHand, Row, capture, inputs},
        weights,
    };
    use chess_records::Board;

    let network = ByHand::new(&weights()).expect("the loop needs AVX2");
    let prepare = |case: &Case| {
        let mut plies = [[Row::ZERO; 2]; 2];
        network.refresh(&inputs(&case.before), &mut plies[0]);
        (
            plies,
            capture(&case.delta),
            inputs(&case.after),
            case.after.side_to_move(),
        )
    };
    let mut prepared: Vec<_> = cases.iter().map(prepare).collect();
    repeat(count, cases.len(), |index| {
        let ([parent, child], capture, inputs, mover) = &mut prepared[index];
        match what {
            "push" => network.update(parent, child, capture),
            "output" => {}
            "refresh" => network.refresh(inputs, child),
            _ => panic!("hand-{what}: expected hand-push, hand-output or hand-refresh"),
        }
        network.output(*mover, child)
    })
}

#[cfg(not(target_arch = "x86_64"))]
fn by_hand(_: &str, _: usize, _: &[Case]) -> i64 {
    panic!("the loop written by hand is for x86-64");
}

fn repeat(count: usize, cases: usize, mut call: impl FnMut(usize) -> i32) -> i64 {
    let calls = (0..count).map(|number| black_box(number % cases));
    calls.map(|index| i64::from(black_box(call(index)))).sum()
}
