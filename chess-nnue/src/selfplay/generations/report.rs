//! What came of generations, for people.

use std::fmt;
use std::path::Path;
use std::string::ToString;
use std::vec::Vec;

use super::learning::EpochLosses;
use super::{GenerationsError, Plan, name, write};
use crate::selfplay::games::GameStatistics;
use crate::selfplay::matches::Pairs;
use crate::train::Audit;

/// A match of a generation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Meeting {
    /// The opponent, 0 being the rules.
    pub against: u64,
    /// The pairs of games, of which the generation is the first player.
    pub pairs: Pairs,
}

/// A generation that is finished.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Generation {
    /// Its number, from 1.
    pub number: u64,
    /// The games that the one before played for it.
    pub games: GameStatistics,
    /// The eval scale that fits the games trained on, in centipawns.
    pub eval_scale: i32,
    /// The losses of each epoch.
    pub losses: Vec<EpochLosses>,
    /// The network, examined on the positions held out.
    pub audit: Audit,
    /// Its matches: against the generation before, and from the second on against the rules.
    pub meetings: Vec<Meeting>,
}

/// All generations that are finished. As text it is a page of Markdown.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The plan.
    pub plan: Plan,
    /// The generations.
    pub generations: Vec<Generation>,
}

impl Report {
    pub(super) const fn new(plan: Plan) -> Self {
        Self {
            plan,
            generations: Vec::new(),
        }
    }

    /// Writes `report.md` and, with feature `plot`, its pictures.
    pub(super) fn write(&self, folder: &Path) -> Result<(), GenerationsError> {
        #[cfg(feature = "plot")]
        self.write_pictures(folder)?;
        write(&folder.join("report.md"), self.to_string().as_bytes())
    }

    #[cfg(feature = "plot")]
    fn write_pictures(&self, folder: &Path) -> Result<(), GenerationsError> {
        use super::picture;

        for generation in &self.generations {
            let path = folder.join(losses_picture(generation.number));
            write(&path, picture::losses(generation)?.as_bytes())?;
        }
        let ladder = picture::ladder(&self.generations)?;
        write(&folder.join(LADDER_PICTURE), ladder.as_bytes())
    }
}

const LADDER_PICTURE: &str = "ladder.svg";

fn losses_picture(generation: u64) -> std::string::String {
    std::format!("losses-{}.svg", name(generation))
}

/// The match in a few words.
impl fmt::Display for Meeting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { against, pairs } = self;
        let share = 100.0 * pairs.score();
        write!(
            f,
            "{share:.1} % of {} games against {}",
            2 * pairs.len(),
            name(*against)
        )?;
        match pairs.elo() {
            Some(elo) => write!(f, ", Elo {elo}"),
            None => Ok(()),
        }
    }
}

/// The generation in a line.
impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: loss held out {:.5}",
            name(self.number),
            self.audit.integer_loss
        )?;
        self.meetings
            .iter()
            .try_for_each(|meeting| write!(f, "; {meeting}"))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# Generations\n")?;
        self.write_ladder(f)?;
        for generation in &self.generations {
            generation.write_section(f)?;
        }
        writeln!(f, "\n## Plan\n")?;
        let plan = self.plan.to_string();
        plan.lines().try_for_each(|line| writeln!(f, "    {line}"))
    }
}

impl Report {
    fn write_ladder(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| network | opponent | games | points | Elo, with its 95 % interval |"
        )?;
        writeln!(f, "|---|---|---|---|---|")?;
        for generation in &self.generations {
            for Meeting { against, pairs } in &generation.meetings {
                let elo = pairs.elo().map(|elo| elo.to_string()).unwrap_or_default();
                writeln!(
                    f,
                    "| {} | {} | {} | {:.1} % | {elo} |",
                    name(generation.number),
                    name(*against),
                    2 * pairs.len(),
                    100.0 * pairs.score()
                )?;
            }
        }
        writeln!(f, "\nBoth players have {} nodes a move.", self.plan.nodes)?;
        match cfg!(feature = "plot") {
            true => writeln!(f, "\n![Elo]({LADDER_PICTURE})"),
            false => Ok(()),
        }
    }
}

impl Generation {
    fn write_section(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = name(self.number);
        writeln!(f, "\n## {name}\n\nGames: {}.\n", self.games)?;
        writeln!(f, "Eval scale {} centipawns.\n", self.eval_scale)?;
        writeln!(f, "| epoch | loss | loss held out |\n|---|---|---|")?;
        for (epoch, losses) in (1..).zip(&self.losses) {
            let EpochLosses { training, held_out } = losses;
            writeln!(f, "| {epoch} | {training:.5} | {held_out:.5} |")?;
        }
        if cfg!(feature = "plot") {
            writeln!(f, "\n![losses]({})", losses_picture(self.number))?;
        }
        writeln!(f, "\n```text\n{}```", self.audit)
    }
}
