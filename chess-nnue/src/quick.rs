//! The usual cases of a search, each in one piece of code for each instruction set.
//!
//! A score takes so little that what is handed over and asked twice counts: so the case is chosen first,
//! and its code is told no more than registers hold.

use core::marker::PhantomData;

use chess_records::Color;

use crate::arch::{AdvanceAndScore, Change, Changes, Instructions, Kernel, OutputSum, Value};
use crate::delta::Kind;
use crate::line::{Storage, change, known, row, turns_a_view};
use crate::network::Network;
use crate::stack::{AccumulatorStack, Ply, Values};

/// A width that a stack keeps hidden values in.
pub(crate) trait StackWidth: Value {
    /// The values, if they are of this width.
    fn of(values: &mut Values) -> Option<&mut Storage<Self>>;
}

impl StackWidth for i16 {
    #[inline(always)]
    fn of(values: &mut Values) -> Option<&mut Storage<Self>> {
        match values {
            Values::Narrow(values) => Some(values),
            Values::Wide(_) => None,
        }
    }
}

impl StackWidth for i32 {
    #[inline(always)]
    fn of(values: &mut Values) -> Option<&mut Storage<Self>> {
        match values {
            Values::Wide(values) => Some(values),
            Values::Narrow(_) => None,
        }
    }
}

/// The score of the present position, quickly where its values are known or it is a usual move away from
/// a ply whose values are known.
#[inline(always)]
pub(crate) fn quick_score<T: StackWidth>(stack: &mut AccumulatorStack, network: &Network) -> i32 {
    match stack.plies.get(..=stack.top) {
        Some([.., ply]) if ply.computed == [true; 2] => {
            let width = PhantomData::<T>;
            network.backend().run(OfKnown {
                stack,
                network,
                width,
            })
        }
        Some([.., below, ply]) if is_step(network, below, ply) => match ply.delta.step().kind() {
            Kind::Quiet => score_after::<T, 1, 1>(stack, network),
            Kind::Capture => score_after::<T, 1, 2>(stack, network),
            Kind::Castling => score_after::<T, 2, 2>(stack, network),
            Kind::Null => score_after::<T, 0, 0>(stack, network),
            Kind::Other => stack.bring_up(network),
        },
        _ => stack.bring_up(network),
    }
}

/// Whether nothing but the move tells the values of a ply from those of the ply below, which are known.
#[inline(always)]
fn is_step(network: &Network, below: &Ply, ply: &Ply) -> bool {
    below.computed == [true; 2]
        && ply.computed == [false; 2]
        && !(ply.delta.step().moves_king() && turns_a_view(network, below, ply))
}

#[inline(always)]
fn score_after<T: StackWidth, const ADDED: usize, const REMOVED: usize>(
    stack: &mut AccumulatorStack,
    network: &Network,
) -> i32 {
    let ignores_kings = network.architecture().ignores_kings();
    match (network.output_sum(), ignores_kings) {
        (OutputSum::ScreluNarrow, true) => {
            score_by::<T, ADDED, REMOVED, true, true>(stack, network)
        }
        (OutputSum::ScreluNarrow, false) => {
            score_by::<T, ADDED, REMOVED, true, false>(stack, network)
        }
        (OutputSum::CreluNarrow, true) => {
            score_by::<T, ADDED, REMOVED, false, true>(stack, network)
        }
        (OutputSum::CreluNarrow, false) => {
            score_by::<T, ADDED, REMOVED, false, false>(stack, network)
        }
        _ => stack.bring_up(network),
    }
}

#[inline(always)]
fn score_by<
    T: StackWidth,
    const ADDED: usize,
    const REMOVED: usize,
    const SQUARED: bool,
    const IGNORES_KINGS: bool,
>(
    stack: &mut AccumulatorStack,
    network: &Network,
) -> i32 {
    network
        .backend()
        .run(AfterMove::<T, ADDED, REMOVED, SQUARED, IGNORES_KINGS> {
            stack,
            network,
            width: PhantomData,
        })
}

/// The score of a position whose values are known.
struct OfKnown<'a, T> {
    stack: &'a mut AccumulatorStack,
    network: &'a Network,
    width: PhantomData<T>,
}

impl<T: StackWidth> Kernel for OfKnown<'_, T> {
    type Output = i32;

    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) -> i32 {
        let (stack, network) = (self.stack, self.network);
        let top = stack.top;
        let (Some(ply), Some(storage)) = (stack.plies.get(top), T::of(&mut stack.values)) else {
            return stack.bring_up(network);
        };
        let (kernel, bucket) = known(ply, top, network, storage);
        network.score(kernel.run(instructions), bucket)
    }
}

/// The score of a position from the values of the ply below and a move of a known kind, for a network of
/// a known kind.
struct AfterMove<
    'a,
    T,
    const ADDED: usize,
    const REMOVED: usize,
    const SQUARED: bool,
    const IGNORES_KINGS: bool,
> {
    stack: &'a mut AccumulatorStack,
    network: &'a Network,
    width: PhantomData<T>,
}

impl<
    T: StackWidth,
    const ADDED: usize,
    const REMOVED: usize,
    const SQUARED: bool,
    const IGNORES_KINGS: bool,
> Kernel for AfterMove<'_, T, ADDED, REMOVED, SQUARED, IGNORES_KINGS>
{
    type Output = i32;

    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) -> i32 {
        let (stack, network) = (self.stack, self.network);
        let top = stack.top;
        let (Some(ply), Some(storage)) = (stack.plies.get_mut(top), T::of(&mut stack.values))
        else {
            return stack.bring_up(network);
        };
        let bucket = network.architecture().output_bucket_of(ply.men.into());
        let mut output = network.output_row(bucket);
        if ply.side_to_move == Color::Black {
            output.weights.swap(0, 1);
        }
        let kernel = AdvanceAndScore::<T, Moved<'_, IGNORES_KINGS>, ADDED, REMOVED, SQUARED> {
            table: network.table(),
            output,
            values: &mut storage.values,
            below: row(top.wrapping_sub(1), Color::White),
            changes: Moved { network, ply },
        };
        let sum = kernel.run(instructions);
        ply.computed = [true; Color::COUNT];
        network.score_of::<SQUARED>(sum.into(), bucket)
    }
}

/// What the move to a ply changes.
struct Moved<'a, const IGNORES_KINGS: bool> {
    network: &'a Network,
    ply: &'a Ply,
}

impl<const IGNORES_KINGS: bool> Changes for Moved<'_, IGNORES_KINGS> {
    #[inline(always)]
    fn change(&self, view: Color) -> Change {
        if IGNORES_KINGS {
            return plain_change(self.ply, view);
        }
        change(self.network, self.ply, view)
    }
}

/// The same for a view that numbers its inputs as the plain ones are.
#[inline(always)]
fn plain_change(ply: &Ply, view: Color) -> Change {
    let [first_on, second_on, first_off, second_off] = *ply.delta.step().inputs(view);
    Change {
        bucket: 0,
        added: [first_on, second_on],
        removed: [first_off, second_off],
    }
}
