//! Update and output, the contestants taking turns, so that what else the machine does befalls them all
//! alike: medians and their ratios. `rounds [COUNT]`: a round takes 10 ms or so.

use chess_nnue::Backend;
#[cfg(target_arch = "x86_64")]
use chess_nnue_benches::contestants::Hand;
use chess_nnue_benches::contestants::{CASES, Contestant, Noru, Ours, check, expected};
use chess_nnue_benches::{Case, cases};

/// Passes through the cases a turn.
const PASSES: usize = 100;

fn main() {
    let rounds = std::env::args().nth(1);
    let rounds = rounds.map_or(60, |count| count.parse().expect("the count of rounds"));
    let cases = cases(CASES);
    let mut contestants = contestants(&cases);
    let mut times = vec![Vec::new(); contestants.len()];
    for _ in 0..rounds {
        for (contestant, times) in contestants.iter_mut().zip(&mut times) {
            times.push(contestant.nanoseconds(PASSES));
        }
    }
    let medians: Vec<f64> = times.iter_mut().map(|times| median(times)).collect();
    let names: Vec<String> = contestants.iter().map(|it| it.name()).collect();
    print(&names, &medians);
}

/// All but the slow ones, each checked.
fn contestants(cases: &[Case]) -> Vec<Box<dyn Contestant + '_>> {
    let expected = expected(cases);
    let mut contestants: Vec<Box<dyn Contestant>> = Vec::new();
    for backend in Backend::available().filter(|backend| backend.name() != "portable") {
        contestants.push(Box::new(Ours::new(backend, cases)));
    }
    #[cfg(target_arch = "x86_64")]
    contestants.extend(Hand::new(cases).map(|hand| Box::new(hand) as Box<dyn Contestant>));
    for contestant in &mut contestants {
        check(&mut **contestant, Some(&expected));
    }
    let mut noru = Noru::new(cases);
    check(&mut noru, None);
    contestants.push(Box::new(noru));
    contestants
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn print(names: &[String], medians: &[f64]) {
    let of = |name: &str| names.iter().position(|it| it == name).map(|at| medians[at]);
    let ratio = |ratio: Option<f64>| ratio.map_or("-".into(), |ratio| format!("{ratio:.2}"));
    println!(
        "{:24}{:>8}{:>14}{:>14}",
        "", "ns", "times noru", "of by hand"
    );
    for (name, median) in names.iter().zip(medians) {
        let times_noru = ratio(of("noru").map(|noru| noru / median));
        let of_by_hand = ratio(of("by hand avx2").map(|hand| median / hand));
        println!("{name:24}{median:>8.1}{times_noru:>14}{of_by_hand:>14}");
    }
}
