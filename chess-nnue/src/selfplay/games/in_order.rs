//! Numbered work on several threads, whose results come in order.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

/// Does the work of each number with one of `threads` workers, or as many as there are numbers if those are
/// fewer, but at least one, and hands the results to `take` in order until it says to stop.
pub(in crate::selfplay) fn in_order<W, T: Send>(
    numbers: Range<u64>,
    threads: usize,
    worker: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, u64) -> T + Sync,
    mut take: impl FnMut(u64, T) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let threads = most_threads(&numbers, threads);
    let (next, is_over) = (AtomicU64::new(numbers.start), AtomicBool::new(false));
    // So few results wait that none of them is far ahead.
    let (sender, receiver) = mpsc::sync_channel(2 * threads);
    thread::scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            let (next, is_over, numbers, worker, work) =
                (&next, &is_over, &numbers, &worker, &work);
            scope.spawn(move || {
                let mut state = worker();
                while !is_over.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let is_open = numbers.contains(&number)
                        && sender.send((number, work(&mut state, number))).is_ok();
                    if !is_open {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let flow = hand_over(numbers.start, &receiver, &mut take);
        is_over.store(true, Ordering::Relaxed);
        // Workers that wait to hand over see that nobody takes any more.
        drop(receiver);
        flow
    })
}

/// More workers than numbers have nothing to do, and no machine has as many threads as can be asked for.
fn most_threads(numbers: &Range<u64>, asked: usize) -> usize {
    let numbers = numbers.end.saturating_sub(numbers.start);
    asked.min(usize::try_from(numbers).unwrap_or(asked)).max(1)
}

fn hand_over<T>(
    mut expected: u64,
    receiver: &mpsc::Receiver<(u64, T)>,
    take: &mut impl FnMut(u64, T) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut early = BTreeMap::new();
    for (number, result) in receiver {
        early.insert(number, result);
        while let Some(result) = early.remove(&expected) {
            take(expected, result)?;
            expected += 1;
        }
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;
    use std::vec::Vec;

    use super::*;

    #[test]
    fn results_come_in_order_whoever_is_first() {
        for threads in [1, 2, 5] {
            let mut taken = Vec::new();
            let work = |_: &mut (), number: u64| {
                thread::sleep(Duration::from_micros(number % 3 * 500));
                number * number
            };
            let flow = in_order(
                3..40,
                threads,
                || (),
                work,
                |number, square| {
                    assert_eq!(square, number * number);
                    taken.push(number);
                    ControlFlow::Continue(())
                },
            );
            assert!(flow.is_continue());
            assert_eq!(taken, (3..40).collect::<Vec<_>>());
        }
    }

    #[test]
    fn any_number_of_threads_will_do() {
        for threads in [0, usize::MAX] {
            let mut sum = 0;
            let _ = in_order(
                0..5,
                threads,
                || (),
                |_, number| number,
                |_, number| {
                    sum += number;
                    ControlFlow::Continue(())
                },
            );
            assert_eq!(sum, 10);
        }
    }

    #[test]
    fn it_stops_when_told() {
        let mut taken = 0;
        let flow = in_order(
            0..u64::MAX,
            3,
            || (),
            |_, number| number,
            |_, _| {
                taken += 1;
                if taken == 10 {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        );
        assert_eq!((flow, taken), (ControlFlow::Break(()), 10));
    }
}
