//! The commands, one module each.

pub(crate) mod concat;
pub(crate) mod convert;
pub(crate) mod dedup;
pub(crate) mod filter;
pub(crate) mod head;
pub(crate) mod inspect;
pub(crate) mod interleave;
pub(crate) mod shuffle;
pub(crate) mod split;
pub(crate) mod stats;
pub(crate) mod verify;
