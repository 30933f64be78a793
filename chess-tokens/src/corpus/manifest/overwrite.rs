//! What becomes of what is in a folder already.

/// What becomes of what is in a folder already. A `bool` is [`Nothing`](Self::Nothing) or
/// [`Everything`](Self::Everything).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Overwrite {
    /// It stays: what is of other work, or of unknown origin, is refused.
    #[default]
    Nothing,
    /// What is of other work, or of unknown origin, is made anew; the same work stays.
    Changed,
    /// It is made anew whatever it is.
    Everything,
}

impl Overwrite {
    /// Whether the same work is done once more.
    #[must_use]
    pub const fn is_everything(self) -> bool {
        matches!(self, Self::Everything)
    }

    /// Whether other work may go.
    #[must_use]
    pub const fn is_allowed(self) -> bool {
        !matches!(self, Self::Nothing)
    }
}

impl From<bool> for Overwrite {
    fn from(everything: bool) -> Self {
        match everything {
            true => Self::Everything,
            false => Self::Nothing,
        }
    }
}
