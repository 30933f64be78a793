//! Makes, evaluates and takes back a fixed number of moves, for callgrind to count.
//!
//! `instructions push|output|refresh COUNT`; COUNT is 0 to measure what the rest takes.

use std::env;
use std::hint::black_box;

use chess_nnue::AccumulatorStack;
use chess_nnue_benches::{cases, network};

fn main() {
    let mut args = env::args().skip(1);
    let what = args.next().unwrap_or_else(|| "push".into());
    let count: usize = args.next().map_or(100_000, |count| {
        count.parse().expect("the count of calls is a number")
    });
    let (network, cases) = (network(), cases(64));
    let mut stacks: Vec<AccumulatorStack> = Vec::new();
    for case in &cases {
        let mut stack = AccumulatorStack::with_capacity(&network, 1);
        stack.reset(&case.before);
        let _ = stack.evaluate(&network);
        stacks.push(stack);
    }
    let mut sum = 0i64;
    for index in (0..count).map(|call| call % cases.len()) {
        let (stack, case) = (&mut stacks[index], &cases[index]);
        let score = match what.as_str() {
            "push" => {
                stack.push(black_box(&case.delta));
                let score = stack.evaluate(&network);
                stack.pop();
                score
            }
            "output" => stack.evaluate(&network),
            "refresh" => {
                stack.reset(&case.after);
                stack.evaluate(&network)
            }
            _ => panic!("{what}: expected push, output or refresh"),
        };
        sum += i64::from(score);
    }
    println!(
        "{count} calls of {what} on {}, sum {sum}",
        network.backend()
    );
}
