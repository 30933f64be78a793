//! Running stages, and looking at what they wrote.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use chess_tokens::corpus::stages::{StageDone, StageInput, StageProgress, Stages, ToUci};
use chess_tokens::corpus::{Month, Session, SessionOptions};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::util::display::array_value_to_string;

pub(crate) fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

pub(crate) fn session(threads: usize) -> Session {
    // Batches so small that there are several, and that threads share them out.
    Session::new(&SessionOptions::new().threads(threads).batch_rows(100)).unwrap()
}

pub(crate) fn input(path: &Path) -> [StageInput; 1] {
    [StageInput::of_file(path).unwrap()]
}

pub(crate) fn month(text: &str) -> Month {
    text.parse().unwrap()
}

pub(crate) fn on(_: &StageProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// All rows of a file, in its order.
pub(crate) fn table(path: &Path) -> RecordBatch {
    let session = session(1);
    let ctx = session.ordered();
    session
        .register_files(&ctx, "t", &[path.to_path_buf()])
        .unwrap();
    let rows = session.query(&ctx, "SELECT * FROM t").unwrap();
    let schema = rows.schema();
    let batches: Vec<_> = rows.map(Result::unwrap).collect();
    concat_batches(&schema, &batches).unwrap()
}

pub(crate) fn column(table: &RecordBatch, name: &str) -> Vec<String> {
    let column = table.column_by_name(name).unwrap();
    (0..table.num_rows())
        .map(|row| array_value_to_string(column, row).unwrap())
        .collect()
}

pub(crate) fn to_uci(threads: usize, stage: &ToUci, raw: &Path, out: &Path) -> StageDone {
    let session = session(threads);
    let may = month("2025-05");
    stage
        .month(Stages::new(&session), may, &input(raw), out, &mut on)
        .unwrap()
}

pub(crate) const ALL: ToUci = ToUci {
    min_plies: 0,
    max_plies: 1000,
};

/// An error and what it came from.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let source = error.source().map(|source| format!(": {}", chain(source)));
    error.to_string() + &source.unwrap_or_default()
}
