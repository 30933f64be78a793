//! Update and output, output alone, refresh and output: chess-nnue on every instruction set of this
//! machine, a loop written by hand, noru and nnue-rs. Every result is checked before it is timed.

use std::hint::black_box;

use chess_nnue::Backend;
use chess_nnue_benches::cases;
#[cfg(target_arch = "x86_64")]
use chess_nnue_benches::contestants::Hand;
use chess_nnue_benches::contestants::{CASES, Contestant, NnueRs, Noru, Ours, check, expected};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn time<C: Contestant>(criterion: &mut Criterion, mut contestant: C, expected: Option<&[i32]>) {
    check(&mut contestant, expected);
    let mut group = |name: &str, call: fn(&mut C, usize) -> i32| {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(CASES as u64));
        group.bench_function(contestant.name(), |bencher| {
            bencher.iter(|| {
                for index in 0..CASES {
                    black_box(call(&mut contestant, black_box(index)));
                }
            });
        });
        group.finish();
    };
    group("update+output", C::update_output);
    group("output", C::output);
    group("refresh+output", C::refresh_output);
}

fn evaluate(criterion: &mut Criterion) {
    let cases = cases(CASES);
    let expected = expected(&cases);
    for backend in Backend::available() {
        time(criterion, Ours::new(backend, &cases), Some(&expected));
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(by_hand) = Hand::new(&cases) {
        time(criterion, by_hand, Some(&expected));
    }
    time(criterion, Noru::new(&cases), None);
    time(criterion, NnueRs::new(&cases), None);
}

criterion_group!(benches, evaluate);
criterion_main!(benches);
