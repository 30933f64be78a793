//! Blocks of hidden values, aligned for any vector unit.

/// The values of a block. Rows are padded with zeros to whole blocks, so that no kernel has a tail:
/// a padded hidden value is 0 and its output weights are 0.
pub(crate) const LANES: usize = 32;

/// The blocks that hold `hidden` values.
pub(crate) const fn blocks(hidden: usize) -> usize {
    hidden.div_ceil(LANES)
}

/// One block. 32 `i16` fill a cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lanes<T>(pub(crate) [T; LANES]);

impl<T: Value> Lanes<T> {
    pub(crate) const ZERO: Self = Self([T::ZERO; LANES]);
}

/// An integer that hidden values are kept in: `i16` where the weights allow it, else `i32`.
pub(crate) trait Value: Copy {
    const ZERO: Self;

    /// Adds a weight, wrapping. Values between the first and the last row of an update may leave the
    /// range of an `i16`; the final one is back in it.
    fn plus(self, weight: i16) -> Self;

    /// Takes a weight away; see [`Value::plus`].
    fn minus(self, weight: i16) -> Self;

    /// The value clipped to 0…`qa`.
    fn clipped(self, qa: i16) -> i16;

    /// The same values, or clipped ones where they are too wide for an `i16`.
    fn narrowed(values: &Lanes<Self>, qa: i16) -> Lanes<i16>;
}

impl Value for i16 {
    const ZERO: Self = 0;

    #[inline(always)]
    fn plus(self, weight: i16) -> Self {
        self.wrapping_add(weight)
    }

    #[inline(always)]
    fn minus(self, weight: i16) -> Self {
        self.wrapping_sub(weight)
    }

    #[inline(always)]
    fn clipped(self, qa: i16) -> i16 {
        self.clamp(0, qa)
    }

    #[inline(always)]
    fn narrowed(values: &Lanes<Self>, _: i16) -> Lanes<i16> {
        *values
    }
}

impl Value for i32 {
    const ZERO: Self = 0;

    #[inline(always)]
    fn plus(self, weight: i16) -> Self {
        self.wrapping_add(Self::from(weight))
    }

    #[inline(always)]
    fn minus(self, weight: i16) -> Self {
        self.wrapping_sub(Self::from(weight))
    }

    #[inline(always)]
    fn clipped(self, qa: i16) -> i16 {
        self.clamp(0, Self::from(qa)) as i16
    }

    #[inline(always)]
    fn narrowed(values: &Lanes<Self>, qa: i16) -> Lanes<i16> {
        let mut narrowed = Lanes::ZERO;
        for lane in 0..LANES {
            narrowed.0[lane] = values.0[lane].clipped(qa);
        }
        narrowed
    }
}
