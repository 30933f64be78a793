//! Losses that a device tells later.

use std::collections::VecDeque;

/// What the losses to come are of.
#[derive(Debug, Default)]
pub(super) struct Late {
    pieces: VecDeque<Piece>,
}

/// Samples whose loss is told as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// The step, from 1, that they are learnt from in.
    pub(super) step: u64,
    /// How many there are.
    pub(super) records: u64,
}

impl Late {
    /// As asking stops the device, it is asked after so many pieces.
    const PATIENCE: usize = 64;

    pub(super) fn push(&mut self, piece: Piece) {
        self.pieces.push_back(piece);
    }

    /// Whether it is time to ask.
    pub(super) fn is_due(&self) -> bool {
        self.pieces.len() >= Self::PATIENCE
    }

    /// What the next loss is of.
    pub(super) fn pop(&mut self) -> Option<Piece> {
        self.pieces.pop_front()
    }
}
