//! The placements of a line of play, made when somebody asks for one.

use alloc::vec::Vec;

use chess_records::Placement;

use crate::stack::Ply;

/// The placement of each ply. Hidden values are kept up to date without placements, and a search has
/// seen to it that its moves can be made: so one is made only when it is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Placements {
    /// By ply.
    placements: Vec<Placement>,
    /// The last ply whose placement has been made.
    made: usize,
}

impl Placements {
    pub(crate) fn new(root: Placement, plies: usize) -> Self {
        Self {
            placements: alloc::vec![root; plies],
            made: 0,
        }
    }

    /// Makes a placement that of the root and forgets the others.
    pub(crate) fn reset(&mut self, root: Placement) {
        self.placements[0] = root;
        self.made = 0;
    }

    /// Forgets the placements above a ply.
    #[inline(always)]
    pub(crate) fn forget_above(&mut self, ply: usize) {
        self.made = self.made.min(ply);
    }

    /// The placement of the last of some plies, which begin at the root.
    ///
    /// # Panics
    ///
    /// When one of the moves that led there cannot be made.
    #[track_caller]
    pub(crate) fn last(&mut self, plies: &[Ply]) -> &Placement {
        let last = plies.len() - 1;
        while self.made < last {
            let mut placement = self.placements[self.made];
            let delta = &plies[self.made + 1].delta;
            if let Err(error) = placement.change(delta.lifted(), delta.put()) {
                misfit(error);
            }
            self.made += 1;
            self.placements[self.made] = placement;
        }
        &self.placements[last]
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn misfit(error: chess_records::ChangeError) -> ! {
    panic!("the delta does not fit the position on the accumulator stack: {error}")
}
