//! What evaluators and trainers ask of a position.

use crate::{Color, Label, Placement};

/// A position that can be evaluated.
///
/// An engine implements this for its own board from its own bitboards:
///
/// ```
/// use chess_records::{Board, Color, Placement};
///
/// struct EngineBoard { colors: [u64; 2], pieces: [u64; 6], black_to_move: bool }
///
/// impl Board for EngineBoard {
///     fn side_to_move(&self) -> Color {
///         if self.black_to_move { Color::Black } else { Color::White }
///     }
///     fn placement(&self) -> Placement {
///         Placement::new(self.colors, self.pieces).expect("the engine keeps its boards legal")
///     }
/// }
/// ```
///
/// The trait is object-safe: `&dyn Board` is a board.
pub trait Board {
    /// Whose move it is.
    fn side_to_move(&self) -> Color;

    /// Where the men stand.
    fn placement(&self) -> Placement;
}

/// A position that a trainer can learn from.
pub trait Labelled: Board {
    /// The score and the result, both from White's side.
    fn label(&self) -> Label;
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        impl<B: Board + ?Sized> Board for $pointer {
            fn side_to_move(&self) -> Color {
                (**self).side_to_move()
            }

            fn placement(&self) -> Placement {
                (**self).placement()
            }
        }

        impl<B: Labelled + ?Sized> Labelled for $pointer {
            fn label(&self) -> Label {
                (**self).label()
            }
        }
    )*};
}

forward!(&B);
#[cfg(feature = "std")]
forward!(std::boxed::Box<B>, std::rc::Rc<B>, std::sync::Arc<B>);

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use crate::LabelledPosition;
    use std::boxed::Box;
    use std::sync::Arc;

    #[test]
    fn pointers_are_the_board_they_point_to() {
        fn check(board: impl Labelled) {
            assert_eq!(board.side_to_move(), Color::Black);
            assert_eq!(board.placement().men(), 2);
            assert!(board.label().result.is_some());
        }
        let labelled = "4k3/8/8/8/8/8/8/4K3 b - - 0 1 | 5 | 0.5";
        let labelled = LabelledPosition::from_text(labelled).unwrap();
        check(&labelled as &dyn Labelled);
        check(Box::new(labelled));
        check(Arc::new(labelled));
        check(Box::new(labelled) as Box<dyn Labelled>);
    }
}
