//! Where queries run: memory, threads and spilling for all of them.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use datafusion::common::DataFusionError;
use datafusion::execution::context::SQLOptions;
use datafusion::execution::memory_pool::{FairSpillPool, TrackConsumersPool};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::{SessionConfig, SessionContext};
use thiserror::Error;
use tokio::runtime::Runtime;

use super::functions::{self, UciMoves};
use super::rows::Rows;
use super::spill::SpillFolder;

/// How queries run. None of it changes what a stage writes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct SessionOptions {
    memory_bytes: u64,
    spill: Option<PathBuf>,
    threads: usize,
    batch_rows: usize,
}

/// Why queries cannot run at all.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The memory limit leaves nothing to work with.
    #[error(
        "memory limit of {found} bytes, expected at least {}",
        SessionOptions::LEAST_MEMORY
    )]
    Memory {
        /// The limit.
        found: u64,
    },
    /// Threads cannot be started.
    #[error("threads cannot be started")]
    Threads(#[source] std::io::Error),
    /// The folder for what does not fit into memory cannot be made.
    #[error("{}: cannot be made or tidied", path.display())]
    Spill {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The engine cannot be set up.
    #[error("the query engine cannot be set up")]
    Engine(#[source] Box<DataFusionError>),
}

/// Why a query fails.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The query cannot be planned: it is no SQL, or names what is not there.
    #[error("the query cannot be planned")]
    Plan(#[source] Box<DataFusionError>),
    /// Its result cannot be worked out.
    #[error("the query fails")]
    Run(#[source] Box<DataFusionError>),
    /// What worked it out ended before its time.
    #[error("the query ended before its time")]
    Lost(#[source] tokio::task::JoinError),
}

impl QueryError {
    pub(super) fn plan(error: DataFusionError) -> Self {
        Self::Plan(Box::new(error))
    }

    pub(super) fn run(error: DataFusionError) -> Self {
        Self::Run(Box::new(error))
    }
}

impl SessionOptions {
    /// Less memory is of no use.
    pub const LEAST_MEMORY: u64 = 16 << 20;
    /// More threads do not help.
    pub const MOST_THREADS: usize = 1024;

    /// 4 GiB of memory, spilling to the system's folder for temporary files, as many threads as there
    /// are processors, 8,192 rows a batch.
    pub fn new() -> Self {
        Self {
            memory_bytes: 4 << 30,
            spill: None,
            threads: thread::available_parallelism().map_or(1, usize::from),
            batch_rows: 8192,
        }
    }

    /// The most memory, in bytes, for what queries must keep. What passes through them takes some
    /// more: for each thread a few batches of rows.
    pub const fn memory_bytes(mut self, bytes: u64) -> Self {
        self.memory_bytes = bytes;
        self
    }

    /// The folder for what does not fit into memory; it is made if it is not there. Each session has a
    /// folder in it, and removes what sessions that were killed have left there.
    pub fn spill(mut self, folder: Option<PathBuf>) -> Self {
        self.spill = folder;
        self
    }

    /// So many threads; 0 is as 1, and more than [`MOST_THREADS`](Self::MOST_THREADS) are as that many.
    pub const fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// So many rows are handled together; 0 is as 1.
    pub const fn batch_rows(mut self, rows: usize) -> Self {
        self.batch_rows = rows;
        self
    }
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// Runs queries for whoever does not wait in async functions.
///
/// # Panics
///
/// Its methods panic in an async context, where blocking is not allowed.
pub struct Session {
    runtime: Runtime,
    env: Arc<RuntimeEnv>,
    threads: usize,
    batch_rows: usize,
    /// Goes with the session.
    _spill: Option<SpillFolder>,
}

impl Session {
    /// Starts the threads, and makes the folder for spilling.
    ///
    /// # Errors
    ///
    /// When they cannot be, and when there is too little memory.
    pub fn new(options: &SessionOptions) -> Result<Self, SessionError> {
        let threads = options.threads.clamp(1, SessionOptions::MOST_THREADS);
        let spill = options.spill.as_deref().map(SpillFolder::make);
        let spill = spill.transpose().map_err(|source| SessionError::Spill {
            path: options.spill.clone().unwrap_or_default(),
            source,
        })?;
        let env = env(options, spill.as_ref())?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .thread_name("corpus")
            .enable_time()
            .build()
            .map_err(SessionError::Threads)?;
        Ok(Self {
            runtime,
            env,
            threads,
            batch_rows: options.batch_rows.max(1),
            _spill: spill,
        })
    }

    /// How many threads work.
    #[must_use]
    pub const fn threads(&self) -> usize {
        self.threads
    }

    /// A context whose plans keep the order of rows, as they read in one partition: files one after
    /// another, and their rows in order. Only the function `uci_moves` shares its work out.
    #[must_use]
    pub fn ordered(&self) -> SessionContext {
        let ctx = self.context(self.config(1));
        ctx.register_udf(UciMoves::new().threads(self.threads).into());
        ctx
    }

    /// A context whose plans run on all threads, so that rows come in any order unless a query says
    /// in which.
    #[must_use]
    pub fn parallel(&self) -> SessionContext {
        self.context(self.config(self.threads))
    }

    fn config(&self, partitions: usize) -> SessionConfig {
        SessionConfig::new()
            .with_target_partitions(partitions)
            .with_batch_size(self.batch_rows)
            .with_information_schema(true)
            // With statistics, a LIMIT takes rows of whichever files were listed first.
            .with_collect_statistics(false)
            // What a filter looks at is decoded first, and the rest of the rows it keeps only.
            .set_bool("datafusion.execution.parquet.pushdown_filters", true)
    }

    fn context(&self, config: SessionConfig) -> SessionContext {
        let ctx = SessionContext::new_with_config_rt(config, Arc::clone(&self.env));
        functions::register(&ctx);
        ctx
    }

    /// The result of a query, batch after batch as it is worked out.
    ///
    /// # Errors
    ///
    /// When it cannot be planned.
    pub fn query(&self, ctx: &SessionContext, sql: &str) -> Result<Rows<'_>, QueryError> {
        self.query_with(ctx, sql, SQLOptions::new())
    }

    /// As [`query`](Self::query), with what the query may do.
    pub(super) fn query_with(
        &self,
        ctx: &SessionContext,
        sql: &str,
        allowed: SQLOptions,
    ) -> Result<Rows<'_>, QueryError> {
        let plan = async {
            let frame = ctx.sql_with_options(sql, allowed).await?;
            frame.create_physical_plan().await
        };
        let plan = self.wait(plan).map_err(QueryError::plan)?;
        let _entered = self.runtime.enter();
        let stream = execute_stream(Arc::clone(&plan), ctx.task_ctx());
        let stream = stream.map_err(QueryError::plan)?;
        Ok(Rows::new(&self.runtime, plan, stream))
    }

    /// Waits for an async function.
    pub(super) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }
}

fn env(
    options: &SessionOptions,
    spill: Option<&SpillFolder>,
) -> Result<Arc<RuntimeEnv>, SessionError> {
    let too_little = options.memory_bytes < SessionOptions::LEAST_MEMORY;
    if too_little {
        let found = options.memory_bytes;
        return Err(SessionError::Memory { found });
    }
    let bytes = usize::try_from(options.memory_bytes).unwrap_or(usize::MAX);
    // Errors tell of the five largest consumers.
    let told = NonZeroUsize::MIN.saturating_add(4);
    let pool = TrackConsumersPool::new(FairSpillPool::new(bytes), told);
    let mut builder = RuntimeEnvBuilder::new()
        .with_memory_pool(Arc::new(pool))
        // Stages write what later ones read: what was listed before is not what is there now.
        .with_object_list_cache_limit(0);
    if let Some(folder) = spill {
        builder = builder.with_temp_file_path(folder.path());
    }
    builder
        .build_arc()
        .map_err(|source| SessionError::Engine(Box::new(source)))
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("threads", &self.threads)
            .field("batch_rows", &self.batch_rows)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_little_memory() {
        let options = SessionOptions::new().memory_bytes(1 << 20);
        assert_eq!(
            Session::new(&options).unwrap_err().to_string(),
            "memory limit of 1048576 bytes, expected at least 16777216"
        );
    }

    #[test]
    fn a_folder_that_cannot_be_made() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let options = SessionOptions::new().spill(Some(file.join("spill")));
        let error = Session::new(&options).unwrap_err().to_string();
        let expected = format!("{}: cannot be made or tidied", file.join("spill").display());
        assert_eq!(error, expected);
    }

    #[test]
    fn queries_that_fail() {
        let session = Session::new(&SessionOptions::new().threads(1)).unwrap();
        let ctx = session.ordered();
        let error = session.query(&ctx, "SELECT x").unwrap_err();
        assert_eq!(error.to_string(), "the query cannot be planned");
        let division = "SELECT 1 / (value - 1) FROM (VALUES (2), (1)) AS t(value)";
        let rows = session.query(&ctx, division).unwrap();
        let error = rows.last().unwrap().unwrap_err();
        assert_eq!(error.to_string(), "the query fails");
    }

    #[test]
    fn a_worker_that_panics_is_an_error_and_no_end() {
        use datafusion::arrow::datatypes::DataType;
        use datafusion::logical_expr::{Volatility, create_udf};
        let session = Session::new(&SessionOptions::new().threads(1)).unwrap();
        let ctx = session.ordered();
        let panics = Arc::new(|_: &[_]| panic!("as it should in this test"));
        let types = (vec![DataType::Int64], DataType::Int64);
        ctx.register_udf(create_udf(
            "p",
            types.0,
            types.1,
            Volatility::Volatile,
            panics,
        ));
        let rows = session.query(&ctx, "SELECT p(value) FROM (VALUES (1)) AS t(value)");
        let results: Vec<_> = rows.unwrap().collect();
        assert_eq!(results.len(), 1);
        let error = results.into_iter().next().unwrap().unwrap_err();
        assert_eq!(error.to_string(), "the query ended before its time");
    }
}
