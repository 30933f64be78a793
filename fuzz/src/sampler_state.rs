//! The state of a sampler, as a checkpoint holds it.

use std::ops::Range;

use chess_records::{
    Dataset, DatasetError, Mode, Order, Sampler, SamplerConfig, SamplerState, Selection,
};

/// The most blocks and samples of a dataset whose order is walked.
const WALKED: u64 = 4096;
const BATCH_SIZE: usize = 4;

/// Takes the bytes for a state in JSON. A sampler that is made as the state says must refuse it or
/// be where it says, go on from there, and give a state that is read again.
pub fn sampler_state(data: &[u8]) {
    let Ok(state) = serde_json::from_slice::<SamplerState>(data) else {
        return;
    };
    let written = serde_json::to_string(&state).expect("numbers and names");
    let again: SamplerState = serde_json::from_str(&written).expect("what is written is read");
    assert_eq!(again, state);
    is_refused_elsewhere(&state);
    if let Some(sampler) = made_for(&state) {
        restores(sampler, &state);
    }
}

/// A sampler of the last rank of those that the state tells of.
fn made_for(state: &SamplerState) -> Option<Sampler<Numbers>> {
    let numbers = Numbers::of(state)?;
    let rank = state.world_size.saturating_sub(1);
    let config = SamplerConfig::new(BATCH_SIZE)
        .seed(state.seed)
        .order(state.order)
        .mode(state.mode)
        .rank(rank, state.world_size);
    Sampler::new(numbers, config).ok()
}

fn restores(mut sampler: Sampler<Numbers>, state: &SamplerState) {
    let before = sampler.state();
    if let Err(error) = sampler.restore(state) {
        assert!(!error.to_string().is_empty());
        assert_eq!(sampler.state(), before, "it stays where it is");
        return;
    }
    assert_eq!(sampler.state(), *state);
    let (mut left, mut selection) = (sampler.batches_left(), Selection::default());
    for _ in 0..3 {
        let given = sampler.next_into(&mut selection);
        assert_eq!(given, left > 0);
        if given {
            left -= 1;
            assert!((1..=BATCH_SIZE).contains(&selection.indices().len()));
            assert!(selection.indices().iter().all(|&index| index < state.len));
        }
        assert_eq!(sampler.batches_left(), left);
    }
    let further = sampler.state();
    sampler.restore(&further).expect("its own state");
}

fn is_refused_elsewhere(state: &SamplerState) {
    let numbers = Numbers { len: 7, blocks: 1 };
    let config = SamplerConfig::new(1).seed(!state.seed).mode(Mode::Wrap);
    let mut other = Sampler::new(numbers, config).expect("a config");
    assert!(other.restore(state).is_err());
}

/// Numbers in so many blocks of about one length.
struct Numbers {
    len: u64,
    blocks: u64,
}

impl Numbers {
    /// What the state was of; `None` where walking the blocks would take long.
    fn of(state: &SamplerState) -> Option<Self> {
        let len = state.len;
        let blocks = state.block_count.unwrap_or(1);
        let walked = matches!(state.order, Order::Blocks { .. });
        let fits = len.max(blocks) <= WALKED && (blocks > 0 || len == 0);
        (fits || !walked).then_some(Self { len, blocks })
    }

    fn boundary(&self, block: u64) -> u64 {
        let numbers = u128::from(self.len) * u128::from(block);
        (numbers / u128::from(self.blocks)) as u64
    }
}

impl Dataset for Numbers {
    type Batch = Vec<u64>;

    fn len(&self) -> u64 {
        self.len
    }

    fn gather(&self, indices: &[u64], batch: &mut Vec<u64>) -> Result<(), DatasetError> {
        batch.clear();
        batch.extend(indices);
        Ok(())
    }

    fn block_count(&self) -> u64 {
        self.blocks
    }

    fn block(&self, block: u64) -> Range<u64> {
        self.boundary(block)..self.boundary(block + 1)
    }

    fn game_start(&self, _: u64) -> Option<bool> {
        None
    }
}
