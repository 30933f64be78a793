//! The result of a query as it is worked out.

use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::MetricValue;
use futures::StreamExt;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::task::JoinHandle;

use super::session::QueryError;

/// Batches that wait for who takes them.
const QUEUED_BATCHES: usize = 2;

/// The result of a query: batches of rows, worked out by other threads while this one deals with those
/// before. It ends after an error. Dropped early, it stops the query.
///
/// # Panics
///
/// Taking a batch panics in an async context, where blocking is not allowed.
pub struct Rows<'a> {
    runtime: &'a Runtime,
    plan: Arc<dyn ExecutionPlan>,
    receiver: Receiver<Result<RecordBatch, DataFusionError>>,
    /// `None` once it has ended.
    worker: Option<JoinHandle<()>>,
}

/// What came within some time.
pub(super) enum Waited {
    Batch(Result<RecordBatch, QueryError>),
    Nothing,
    End,
}

impl<'a> Rows<'a> {
    pub(super) fn new(
        runtime: &'a Runtime,
        plan: Arc<dyn ExecutionPlan>,
        mut stream: SendableRecordBatchStream,
    ) -> Self {
        let (sender, receiver) = channel(QUEUED_BATCHES);
        let worker = runtime.spawn(async move {
            while let Some(batch) = stream.next().await {
                let failed = batch.is_err();
                if sender.send(batch).await.is_err() || failed {
                    return;
                }
            }
        });
        Self {
            runtime,
            plan,
            receiver,
            worker: Some(worker),
        }
    }

    /// The columns.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        self.plan.schema()
    }

    /// How many rows of tables were gone through, as far as is known: those that were never looked
    /// at because of what the files say of them are not among them.
    #[must_use]
    pub fn rows_read(&self) -> u64 {
        rows_read(&*self.plan)
    }

    /// The next batch, if it comes within some time.
    pub(super) fn within(&mut self, time: Duration) -> Waited {
        let next = async { tokio::time::timeout(time, self.receiver.recv()).await };
        match self.runtime.block_on(next) {
            Err(_) => Waited::Nothing,
            Ok(Some(batch)) => Waited::Batch(batch.map_err(QueryError::run)),
            Ok(None) => self
                .end()
                .map_or(Waited::End, |error| Waited::Batch(Err(error))),
        }
    }

    /// Whether the worker came to its end.
    fn end(&mut self) -> Option<QueryError> {
        let worker = self.worker.take()?;
        self.runtime.block_on(worker).err().map(QueryError::Lost)
    }
}

fn rows_read(plan: &dyn ExecutionPlan) -> u64 {
    let inputs = plan.children();
    if !inputs.is_empty() {
        return inputs.into_iter().map(|input| rows_read(&**input)).sum();
    }
    let Some(metrics) = plan.metrics() else {
        return 0;
    };
    let pruned = match metrics.sum_by_name("pushdown_rows_pruned") {
        Some(MetricValue::Count { count, .. }) => count.value(),
        _ => 0,
    };
    (metrics.output_rows().unwrap_or(0) + pruned) as u64
}

impl Iterator for Rows<'_> {
    type Item = Result<RecordBatch, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.receiver.blocking_recv() {
            Some(batch) => Some(batch.map_err(QueryError::run)),
            // A worker that panics closes the channel too.
            None => self.end().map(Err),
        }
    }
}

impl Drop for Rows<'_> {
    fn drop(&mut self) {
        if let Some(worker) = &self.worker {
            worker.abort();
        }
    }
}

impl std::fmt::Debug for Rows<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rows")
            .field("schema", &self.schema())
            .finish_non_exhaustive()
    }
}
