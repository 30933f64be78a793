//! The kernels in plain Rust, written so that the compiler can vectorise them: the oracle for every
//! other set.

use super::lanes::{Lanes, Value};
use crate::architecture::Activation;
use crate::arithmetic::{Arithmetic, Width};

/// One row of first-layer weights.
pub(crate) type Row<'a> = &'a [Lanes<i16>];

/// Writes bias + Σ rows.
pub(crate) fn refresh<T: Value>(bias: Row<'_>, rows: &[Row<'_>], values: &mut [Lanes<T>]) {
    for (block, values) in values.iter_mut().enumerate() {
        *values = refreshed_block(bias, rows, block);
    }
}

/// One block of bias + Σ rows.
#[inline(always)]
pub(crate) fn refreshed_block<T: Value>(bias: Row<'_>, rows: &[Row<'_>], block: usize) -> Lanes<T> {
    let mut values = Lanes(bias[block].0.map(T::from_bias));
    for row in rows {
        add(&mut values, &row[block]);
    }
    values
}

/// Writes parent + Σ added − Σ removed. The parent is read once, the child written once.
pub(crate) fn update<T: Value>(
    parent: &[Lanes<T>],
    child: &mut [Lanes<T>],
    added: &[Row<'_>],
    removed: &[Row<'_>],
) {
    match (added, removed) {
        (&[a], &[r]) => update_by(parent, child, [a], [r]),
        (&[a], &[r, s]) => update_by(parent, child, [a], [r, s]),
        (&[a, b], &[r, s]) => update_by(parent, child, [a, b], [r, s]),
        _ => {
            child.copy_from_slice(parent);
            for row in added {
                update_in_place(child, [row], []);
            }
            for row in removed {
                update_in_place(child, [], [row]);
            }
        }
    }
}

#[inline(always)]
fn update_by<T: Value, const ADDED: usize, const REMOVED: usize>(
    parent: &[Lanes<T>],
    child: &mut [Lanes<T>],
    added: [Row<'_>; ADDED],
    removed: [Row<'_>; REMOVED],
) {
    let blocks = child.len();
    let parent = &parent[..blocks];
    let added = added.map(|row| &row[..blocks]);
    let removed = removed.map(|row| &row[..blocks]);
    for block in 0..blocks {
        let mut values = parent[block];
        for row in added {
            add(&mut values, &row[block]);
        }
        for row in removed {
            subtract(&mut values, &row[block]);
        }
        child[block] = values;
    }
}

fn update_in_place<T: Value, const ADDED: usize, const REMOVED: usize>(
    values: &mut [Lanes<T>],
    added: [Row<'_>; ADDED],
    removed: [Row<'_>; REMOVED],
) {
    for (block, values) in values.iter_mut().enumerate() {
        for row in added {
            add(values, &row[block]);
        }
        for row in removed {
            subtract(values, &row[block]);
        }
    }
}

#[inline(always)]
fn add<T: Value>(values: &mut Lanes<T>, weights: &Lanes<i16>) {
    for (value, &weight) in values.0.iter_mut().zip(&weights.0) {
        *value = value.plus(weight);
    }
}

#[inline(always)]
fn subtract<T: Value>(values: &mut Lanes<T>, weights: &Lanes<i16>) {
    for (value, &weight) in values.0.iter_mut().zip(&weights.0) {
        *value = value.minus(weight);
    }
}

/// How the output layer sums one view's half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputSum {
    /// Σ clip² · weight where clip · weight fits an `i16` and the sum an `i32`.
    ScreluNarrow,
    /// Σ clip² · weight for any weights.
    ScreluWide,
    /// Σ clip · weight where the sum fits an `i32`.
    CreluNarrow,
    /// Σ clip · weight for any weights.
    CreluWide,
}

impl OutputSum {
    pub(crate) fn choose(activation: Activation, arithmetic: Arithmetic) -> Self {
        let Arithmetic { products, sums, .. } = arithmetic;
        match (activation, products, sums) {
            (Activation::Screlu, Width::Narrow, Width::Narrow) => Self::ScreluNarrow,
            (Activation::Screlu, ..) => Self::ScreluWide,
            (Activation::Crelu, _, Width::Narrow) => Self::CreluNarrow,
            (Activation::Crelu, ..) => Self::CreluWide,
        }
    }
}

/// The sum over one view's half of an output row, exact.
#[inline(always)]
pub(crate) fn output<T: Value>(
    sum: OutputSum,
    values: &[Lanes<T>],
    weights: Row<'_>,
    qa: i16,
) -> i64 {
    let pairs = values.iter().zip(weights).flat_map(|(values, weights)| {
        let clipped = values.0.iter().map(move |value| value.clipped(qa));
        clipped.zip(weights.0.iter().copied())
    });
    match sum {
        OutputSum::ScreluNarrow => {
            let terms = pairs.map(|(clip, weight)| i32::from(clip * weight) * i32::from(clip));
            i64::from(terms.sum::<i32>())
        }
        OutputSum::ScreluWide => pairs
            .map(|(clip, weight)| i64::from(clip) * i64::from(clip) * i64::from(weight))
            .sum(),
        OutputSum::CreluNarrow => {
            let terms = pairs.map(|(clip, weight)| i32::from(clip) * i32::from(weight));
            i64::from(terms.sum::<i32>())
        }
        OutputSum::CreluWide => pairs
            .map(|(clip, weight)| i64::from(clip) * i64::from(weight))
            .sum(),
    }
}
