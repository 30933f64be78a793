//! The commands, one module each.

pub(crate) mod bench;
pub(crate) mod build;
pub(crate) mod convert;
pub(crate) mod inspect;
pub(crate) mod merge;
pub(crate) mod unpack;
pub(crate) mod verify;
