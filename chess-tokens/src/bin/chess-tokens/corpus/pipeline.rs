//! `run`: a whole pipeline.

use std::path::PathBuf;

use chess_tokens::corpus::Session;
use chess_tokens::corpus::pipeline::{Pipeline, PipelineConfig, PlannedStage, StageState};
use clap::Args;

use super::observer::Watch;
use crate::failure::Failure;
use crate::report;

/// Runs a pipeline: months fetched or read, filtered, converted, drawn and packed, as a TOML file says.
///
/// What is finished is left as it is: the same command after Ctrl-C, or after the process was killed,
/// goes on with the rest. A stage that was made with other settings is refused without --overwrite, which
/// leaves what is the same, as months that are fetched, as it is.
#[derive(Args)]
pub(crate) struct Run {
    /// The description; examples/pipeline.toml of the crate has every option
    #[arg(value_name = "TOML")]
    config: PathBuf,
    /// Make anew what was made with other settings or of other files, and what was made of that
    #[arg(long)]
    overwrite: bool,
    /// Show what would be done with which queries, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// With --dry-run: as JSON
    #[arg(long, requires = "dry_run")]
    json: bool,
}

impl Run {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let config = PipelineConfig::read(&self.config)?;
        let mut options = config.session_options();
        if self.dry_run {
            // Its folder would be made.
            options = options.spill(None);
        }
        let session = Session::new(&options)?;
        let pipeline = Pipeline::new(&config, &session, self.overwrite);
        if self.dry_run {
            return self.show(&pipeline.plan()?);
        }
        let watch = Watch::new();
        Ok(pipeline.run(&mut |event| watch.event(event))?)
    }

    fn show(&self, plan: &[PlannedStage]) -> Result<(), Failure> {
        if self.json {
            let json = serde_json::to_string_pretty(plan);
            let json = json.map_err(|error| Failure::Other(error.into()))?;
            return report::print(&(json + "\n"));
        }
        let text: String = plan.iter().map(stage_text).collect();
        report::print(&text)
    }
}

fn stage_text(planned: &PlannedStage) -> String {
    let state = match planned.state {
        StageState::Finished => "is there",
        StageState::Unfinished => "goes on",
        _ => "begins",
    };
    let sql = planned.sql.join(";\n\n");
    let folder = planned.folder.display();
    format!("-- {}, {folder}: {state}\n{sql};\n\n", planned.stage)
}
