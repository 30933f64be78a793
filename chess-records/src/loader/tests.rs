use super::*;
use crate::dataset::tests::Memory;
use crate::{Mode, Order, SamplerConfig};
use proptest::prelude::*;
use std::boxed::Box;
use std::error::Error;
use std::ops::Range;
use std::string::ToString;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};
use std::vec;

const THREADS: [usize; 4] = [0, 1, 2, 7];

/// Numbers in memory, and something that happens before each gather and each look at a block.
struct Hooked<G, B> {
    memory: Memory,
    on_gather: G,
    on_block: B,
}

fn hooked<G: Fn(&[u64]) + Send + Sync>(len: u32, on_gather: G) -> Hooked<G, fn(u64)> {
    Hooked {
        memory: Memory::new(0..len),
        on_gather,
        on_block: |_| (),
    }
}

impl<G: Fn(&[u64]) + Send + Sync, B: Fn(u64) + Send + Sync> Dataset for Hooked<G, B> {
    type Batch = Vec<u32>;

    fn len(&self) -> u64 {
        self.memory.len()
    }

    fn gather(&self, indices: &[u64], batch: &mut Vec<u32>) -> Result<(), DatasetError> {
        (self.on_gather)(indices);
        self.memory.gather(indices, batch)
    }

    fn block_count(&self) -> u64 {
        self.memory.block_count()
    }

    fn block(&self, block: u64) -> Range<u64> {
        (self.on_block)(block);
        self.memory.block(block)
    }

    fn game_start(&self, index: u64) -> Option<bool> {
        self.memory.game_start(index)
    }
}

fn loader<D>(dataset: D, config: SamplerConfig, threads: usize) -> Loader<D>
where
    D: Dataset + 'static,
    D::Batch: Default + Send,
{
    let sampler = Sampler::new(dataset, config).unwrap();
    Loader::new(sampler, LoaderConfig::new(threads)).unwrap()
}

fn in_order(batch_size: usize) -> SamplerConfig {
    SamplerConfig::new(batch_size).order(Order::Sequential)
}

fn sleep(milliseconds: u64) {
    thread::sleep(Duration::from_millis(milliseconds));
}

fn wait_until(is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "waits for ever");
        sleep(1);
    }
}

/// What a loader should give: what its sampler names, gathered one by one.
fn expected<D: Dataset<Batch = Vec<u32>>>(mut sampler: Sampler<D>) -> Vec<LoadedBatch<Vec<u32>>> {
    let mut batches = vec![];
    while let Some(selection) = sampler.next() {
        let mut data = vec![];
        sampler
            .dataset()
            .gather(selection.indices(), &mut data)
            .unwrap();
        batches.push(LoadedBatch {
            data,
            selection,
            state: sampler.state(),
        });
    }
    batches
}

fn loaded<D>(loader: &mut Loader<D>) -> Vec<LoadedBatch<Vec<u32>>>
where
    D: Dataset<Batch = Vec<u32>>,
{
    loader.map(Result::unwrap).collect()
}

#[test]
fn slow_batches_stay_in_their_places() {
    for threads in THREADS {
        // The first of every four batches is the slowest.
        let slow = |indices: &[u64]| sleep(2 * (3 - indices[0] / 5 % 4));
        let mut loader = loader(hooked(100, slow), in_order(5), threads);
        let all: Vec<_> = loaded(&mut loader)
            .into_iter()
            .flat_map(|batch| batch.data)
            .collect();
        assert!(all.into_iter().eq(0..100), "{threads} threads");
    }
}

#[test]
fn nothing_and_less_than_a_batch() {
    for threads in THREADS {
        let mut empty = loader(Memory::default(), in_order(5), threads);
        assert!(empty.next().is_none() && empty.next().is_none());
        empty.set_epoch(1);
        assert!(empty.next().is_none());
        let mut small = loader(Memory::new(0..3), in_order(usize::MAX), threads);
        assert_eq!(small.next().unwrap().unwrap().data, [0, 1, 2]);
        assert!(small.next().is_none() && small.next().is_none());
    }
}

#[test]
fn the_mask_comes_along() {
    let config = in_order(2).rank(2, 3);
    let batches = loaded(&mut loader(Memory::new(10..18), config, 2));
    assert_eq!(batches[1].data, [10]);
    assert!(batches[1].selection.mask().eq([false]));
    assert!(batches[0].selection.mask().eq([true, true]));
}

#[test]
fn dropping_stops_the_threads() {
    for threads in THREADS {
        for taken in [0, 1, 5] {
            let gathers = Arc::new(AtomicU64::new(0));
            let count = Arc::clone(&gathers);
            let dataset = Arc::new(hooked(1_000_000, move |_: &[u64]| {
                count.fetch_add(1, SeqCst);
                sleep(1);
            }));
            let mut loader = loader(Arc::clone(&dataset), in_order(1), threads);
            assert_eq!(loader.by_ref().take(taken).count(), taken);
            drop(loader);
            // No thread holds the dataset any more.
            assert_eq!(Arc::strong_count(&dataset), 1);
            assert!(gathers.load(SeqCst) <= (taken + 2 * threads) as u64);
        }
    }
}

#[test]
fn dropping_wakes_threads_that_wait() {
    for epoch_is_over in [false, true] {
        let gathers = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&gathers);
        let counted = hooked(if epoch_is_over { 6 } else { 1000 }, move |_: &[u64]| {
            count.fetch_add(1, SeqCst);
        });
        let loader = loader(counted, in_order(1), 3);
        wait_until(|| gathers.load(SeqCst) == 6);
        sleep(5);
        drop(loader);
    }
}

#[test]
fn no_more_is_read_ahead_than_the_queue_holds() {
    let gathers = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&gathers);
    let counted = hooked(1000, move |_: &[u64]| {
        count.fetch_add(1, SeqCst);
    });
    let sampler = Sampler::new(counted, in_order(2)).unwrap();
    let start = sampler.state();
    let mut loader = Loader::new(sampler, LoaderConfig::new(2).queue(3)).unwrap();
    for taken in 0..4 {
        wait_until(|| gathers.load(SeqCst) == 3 + taken);
        sleep(5);
        assert_eq!(gathers.load(SeqCst), 3 + taken);
        // What is read ahead does not count.
        assert_eq!(
            loader.state(),
            SamplerState {
                position: 2 * taken,
                ..start
            }
        );
        loader.next().unwrap().unwrap();
    }
}

#[test]
fn an_error_ends_the_epoch_in_its_place() {
    for threads in THREADS {
        let memory = Memory {
            bad: Some(7),
            ..Memory::new(0..100)
        };
        let mut loader = loader(memory, in_order(3), threads);
        for _ in 0..2 {
            assert_eq!(loader.next().unwrap().unwrap().data, [0, 1, 2]);
            assert_eq!(loader.next().unwrap().unwrap().data, [3, 4, 5]);
            let before = loader.state();
            let error = loader.next().unwrap().unwrap_err();
            assert_eq!(error.to_string(), "batch at position 6 of epoch 0");
            let source = error.source().unwrap();
            assert_eq!(source.to_string(), "record 7 at byte 28");
            assert!(loader.next().is_none() && loader.next().is_none());
            assert_eq!((loader.state(), before.position), (before, 6));
            // The same again.
            loader.set_epoch(0);
        }
        let after = SamplerState {
            position: 9,
            ..loader.state()
        };
        loader.restore(&after).unwrap();
        assert_eq!(loaded(&mut loader).len(), 31);
    }
}

#[test]
fn an_error_in_the_first_batch_can_be_tried_again() {
    for threads in THREADS {
        let fails = Arc::new(AtomicBool::new(true));
        let once = Arc::clone(&fails);
        let dataset = hooked(10, move |_: &[u64]| {
            assert!(!once.load(SeqCst), "not yet");
        });
        let mut loader = loader(dataset, in_order(10), threads);
        assert!(loader.next().unwrap().is_err());
        assert!(loader.next().is_none());
        fails.store(false, SeqCst);
        loader.set_epoch(0);
        assert_eq!(loaded(&mut loader).len(), 1);
    }
}

#[test]
fn a_panic_is_an_error() {
    fn error(on_gather: fn(&[u64]), threads: usize) -> std::string::String {
        let mut loader = loader(hooked(9, on_gather), in_order(3), threads);
        assert_eq!(loader.next().unwrap().unwrap().data, [0, 1, 2]);
        let error = loader.next().unwrap().unwrap_err();
        assert!(loader.next().is_none());
        error.to_string()
    }
    let literal = |indices: &[u64]| assert!(indices[0] < 3, "a literal");
    let formatted = |indices: &[u64]| assert!(indices[0] < 3, "from {}", indices[0]);
    let no_text = |indices: &[u64]| {
        if indices[0] >= 3 {
            std::panic::panic_any(7);
        }
    };
    let what = "batch at position 3 of epoch 0: the dataset panicked: ";
    for threads in THREADS {
        assert_eq!(
            error(literal, threads).strip_prefix(what),
            Some("a literal")
        );
        assert_eq!(error(formatted, threads).strip_prefix(what), Some("from 3"));
        assert_eq!(
            error(no_text, threads).strip_prefix(what),
            Some("no message")
        );
    }
}

#[test]
fn a_panic_where_blocks_are_looked_up_is_an_error() {
    for threads in THREADS {
        let dataset = Hooked {
            memory: Memory::new(0..9),
            on_gather: |_: &[u64]| (),
            on_block: |block| assert!(block != 3, "no block 3"),
        };
        let config = SamplerConfig::new(2).order(Order::Blocks { window: 1 });
        let last = loader(dataset, config, threads).last().unwrap();
        let text = last.unwrap_err().to_string();
        assert!(text.ends_with("the dataset panicked: no block 3"), "{text}");
    }
}

#[test]
fn batches_that_are_handed_back_are_used_again() {
    static MADE: AtomicU64 = AtomicU64::new(0);
    struct Buffer(Vec<u32>);
    impl Default for Buffer {
        fn default() -> Self {
            MADE.fetch_add(1, SeqCst);
            Self(vec![])
        }
    }
    struct Buffered(Memory);
    impl Dataset for Buffered {
        type Batch = Buffer;
        fn len(&self) -> u64 {
            self.0.len()
        }
        fn gather(&self, indices: &[u64], batch: &mut Buffer) -> Result<(), DatasetError> {
            self.0.gather(indices, &mut batch.0)
        }
        fn block_count(&self) -> u64 {
            self.0.block_count()
        }
        fn block(&self, block: u64) -> Range<u64> {
            self.0.block(block)
        }
        fn game_start(&self, index: u64) -> Option<bool> {
            self.0.game_start(index)
        }
    }
    for (threads, at_most) in [(0, 1), (2, 5)] {
        MADE.store(0, SeqCst);
        let mut loader = loader(Buffered(Memory::new(0..500)), in_order(7), threads);
        for epoch in 0..3 {
            loader.set_epoch(epoch);
            let mut all = vec![];
            while let Some(batch) = loader.next() {
                let batch = batch.unwrap();
                all.extend_from_slice(&batch.data.0);
                loader.recycle(batch);
            }
            assert!(all.into_iter().eq(0..500));
        }
        let made = MADE.load(SeqCst);
        assert!(
            (1..=at_most).contains(&made),
            "{made} with {threads} threads"
        );
    }
}

#[test]
fn too_many_batches_handed_back_are_dropped() {
    let mut loader = loader(Memory::new(0..100), in_order(1), 0);
    for batch in loaded(&mut loader) {
        loader.recycle(batch);
    }
    assert_eq!(loader.shared.queue().spare_count(), 2);
}

#[test]
fn another_epoch_in_the_middle() {
    for threads in THREADS {
        let config = SamplerConfig::new(3).seed(5);
        let mut loader = loader(Memory::new(0..50), config, threads);
        let mut sampler = Sampler::new(Memory::new(0..50), config).unwrap();
        for (epoch, taken) in [(0, 2), (4, 0), (2, 9), (2, 1), (0, 99)] {
            loader.set_epoch(epoch);
            sampler.set_epoch(epoch);
            let all = expected(sampler.clone());
            let some: Vec<_> = loader.by_ref().take(taken).map(Result::unwrap).collect();
            assert_eq!(some, all[..taken.min(all.len())]);
        }
    }
}

#[test]
fn what_was_read_ahead_is_kept_where_it_comes_next() {
    let gathers = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&gathers);
    let counted = hooked(20, move |_: &[u64]| {
        count.fetch_add(1, SeqCst);
    });
    let mut loader = loader(counted, in_order(2), 1);
    wait_until(|| gathers.load(SeqCst) == 2);
    loader.set_epoch(0);
    let state = loader.next().unwrap().unwrap().state;
    loader.restore(&state).unwrap();
    assert_eq!(loader.count(), 9);
    assert_eq!(gathers.load(SeqCst), 10);
}

#[test]
fn a_state_that_does_not_fit_changes_nothing() {
    let mut loader = loader(Memory::new(0..9), in_order(3), 2);
    let start = loader.state();
    let other = SamplerState { len: 10, ..start };
    let text = loader.restore(&other).unwrap_err().to_string();
    assert_eq!(
        text,
        "len of the state is 10, expected 9, that of the dataset"
    );
    assert_eq!(loader.state(), start);
    assert_eq!(loaded(&mut loader).len(), 3);
}

/// A batch that is made for nothing is dropped by the thread that made it.
#[test]
fn a_thread_survives_a_batch_that_panics_when_dropped() {
    static PANICS: AtomicBool = AtomicBool::new(false);
    static STARTED: AtomicBool = AtomicBool::new(false);
    #[derive(Default)]
    struct Bomb(u64);
    impl Drop for Bomb {
        fn drop(&mut self) {
            let panics = PANICS.swap(false, SeqCst);
            assert!(!panics, "dropped");
        }
    }
    struct Bombs;
    impl Dataset for Bombs {
        type Batch = Bomb;
        fn len(&self) -> u64 {
            3
        }
        fn gather(&self, indices: &[u64], batch: &mut Bomb) -> Result<(), DatasetError> {
            STARTED.store(true, SeqCst);
            wait_until(|| PANICS.load(SeqCst) || batch.0 == 0 && indices[0] > 0);
            batch.0 = indices[0];
            Ok(())
        }
        fn block_count(&self) -> u64 {
            1
        }
        fn block(&self, _: u64) -> Range<u64> {
            0..3
        }
        fn game_start(&self, _: u64) -> Option<bool> {
            None
        }
    }
    let mut loader = loader(Bombs, in_order(1), 1);
    wait_until(|| STARTED.load(SeqCst));
    let second = SamplerState {
        position: 1,
        ..loader.state()
    };
    loader.restore(&second).unwrap();
    PANICS.store(true, SeqCst);
    let rest: Vec<_> = loader.by_ref().map(|batch| batch.unwrap().data.0).collect();
    assert_eq!(rest, [1, 2]);
    assert!(!PANICS.load(SeqCst));
}

#[test]
fn datasets_of_any_type_on_any_thread() {
    let boxed: Box<dyn Dataset<Batch = Vec<u32>>> = Box::new(Memory::new(0..9));
    let mut loader = loader(Arc::new(boxed), in_order(4), 1);
    assert_eq!(loader.dataset().len(), 9);
    let text = std::format!("{loader:?}");
    assert!(
        text.starts_with("Loader { threads: 1, state: SamplerState {"),
        "{text}"
    );
    let thread = thread::spawn(move || loaded(&mut loader).len());
    assert_eq!(thread.join().unwrap(), 3);
}

#[test]
fn texts() {
    let sampler = Sampler::new(Memory::default(), in_order(1)).unwrap();
    let error = Loader::new(sampler.clone(), LoaderConfig::new(2).queue(0)).unwrap_err();
    assert_eq!(error.to_string(), "queue is 0 batches, expected at least 1");
    assert!(Loader::new(sampler, LoaderConfig::new(0).queue(0)).is_ok());
    let error = LoaderConfigError::Thread {
        number: 3,
        threads: 8,
        source: std::io::ErrorKind::WouldBlock.into(),
    };
    assert_eq!(error.to_string(), "thread 3 of 8 not started");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 64 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// The batches, indices, masks and states are those of the sampler, whatever the number of
    /// threads and the queue, and after each a new loader goes on from the state.
    #[test]
    fn threads_do_not_matter(
        len in 0u32..100, batch_size in 1usize..20, ranks in (0u32..5, 1u32..5), seed: u64,
        window in 0u32..5, mode in prop_oneof![Just(Mode::Exact), Just(Mode::DropLast), Just(Mode::Wrap)],
        queue in 1usize..9, stop in 0usize..20,
    ) {
        let order = if window == 0 { Order::Shuffled } else { Order::Blocks { window } };
        let config = SamplerConfig::new(batch_size).seed(seed).order(order).mode(mode);
        let config = config.rank(ranks.0 % ranks.1, ranks.1);
        let dataset = Arc::new(Memory::new(0..len));
        let sampler = Sampler::new(dataset, config).unwrap();
        let all = expected(sampler.clone());
        for threads in THREADS {
            let config = LoaderConfig::new(threads).queue(queue);
            let mut whole = Loader::new(sampler.clone(), config).unwrap();
            prop_assert_eq!(&loaded(&mut whole), &all);
            let mut stopped = Loader::new(sampler.clone(), config).unwrap();
            stopped.by_ref().take(stop).for_each(drop);
            let mut restored = sampler.clone();
            restored.restore(&stopped.state()).unwrap();
            let mut restored = Loader::new(restored, config).unwrap();
            prop_assert_eq!(&loaded(&mut restored)[..], &all[stop.min(all.len())..]);
            // An old loader is sent there as well.
            whole.restore(&stopped.state()).unwrap();
            prop_assert_eq!(&loaded(&mut whole)[..], &all[stop.min(all.len())..]);
        }
    }
}
