//! [`Dataset`] for what points to one.

use std::boxed::Box;
use std::ops::Range;
use std::sync::Arc;

use super::{Dataset, DatasetError};

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        impl<D: Dataset + ?Sized> Dataset for $pointer {
            type Batch = D::Batch;

            fn len(&self) -> u64 {
                (**self).len()
            }

            fn is_empty(&self) -> bool {
                (**self).is_empty()
            }

            fn gather(&self, indices: &[u64], batch: &mut D::Batch) -> Result<(), DatasetError> {
                (**self).gather(indices, batch)
            }

            fn block_count(&self) -> u64 {
                (**self).block_count()
            }

            fn block(&self, block: u64) -> Range<u64> {
                (**self).block(block)
            }

            fn game_start(&self, index: u64) -> Option<bool> {
                (**self).game_start(index)
            }
        }
    )*};
}

forward!(&D, Box<D>, Arc<D>);
