//! Three files on a stand-in for the hub, and a clock that does not wait.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chess_tokens::corpus::hub::{Clock, Hub, HubBuilder, HubError, HubEvent, HubFile, Trouble};

use crate::hub_stand_in::{Fault, REPO, Request, StandIn};

pub(crate) const FOLDER: &str = "data/year=2025/month=05";

/// A time that passes when it is waited for.
#[derive(Clone, Default)]
pub(crate) struct TestClock(Arc<Mutex<Vec<Duration>>>);

impl Clock for TestClock {
    fn now(&self) -> SystemTime {
        // Sun, 06 Nov 1994 08:49:37 GMT.
        UNIX_EPOCH + Duration::from_secs(784_111_777)
    }

    fn sleep(&self, time: Duration) {
        self.0.lock().unwrap().push(time);
    }
}

impl TestClock {
    pub(crate) fn waited(&self) -> Duration {
        self.0.lock().unwrap().drain(..).sum()
    }
}

pub(crate) struct Case {
    pub(crate) _temporary: tempfile::TempDir,
    pub(crate) to: PathBuf,
    pub(crate) files: Vec<Vec<u8>>,
    pub(crate) stand_in: StandIn,
    pub(crate) clock: TestClock,
}

impl Case {
    /// Three files of a month.
    pub(crate) fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let served = temporary.path().join("served");
        fs::create_dir_all(served.join(FOLDER)).unwrap();
        let files: Vec<Vec<u8>> = (0..3).map(noise).collect();
        for (number, bytes) in files.iter().enumerate() {
            fs::write(served.join(path(number)), bytes).unwrap();
        }
        Self {
            to: temporary.path().join("file"),
            stand_in: StandIn::start(&served),
            _temporary: temporary,
            files,
            clock: TestClock::default(),
        }
    }

    pub(crate) fn builder(&self) -> HubBuilder {
        Hub::builder(REPO)
            .environment(|_| None)
            .endpoint(self.stand_in.endpoint())
            .clock(self.clock.clone())
            .timeout(Duration::from_secs(20))
    }

    pub(crate) fn hub(&self) -> Hub {
        self.builder().build().unwrap()
    }

    pub(crate) fn list(&self) -> Vec<HubFile> {
        self.hub().list(FOLDER, &mut on).unwrap()
    }

    /// Downloads the first file, and checks that it is that.
    pub(crate) fn download(&self) {
        let file = &self.list()[0];
        self.hub().download(file, &self.to, &mut on).unwrap();
        assert!(fs::read(&self.to).unwrap() == self.files[0]);
        assert!(!self.partial().exists());
    }

    /// Fails to.
    pub(crate) fn fail(&self) -> Trouble {
        let file = &self.list()[0];
        let error = self.hub().download(file, &self.to, &mut on).unwrap_err();
        assert!(!self.to.exists());
        trouble(error)
    }

    pub(crate) fn partial(&self) -> PathBuf {
        self.to.with_file_name("file.partial")
    }

    /// The parts of files that were asked for, of the server that sends them.
    pub(crate) fn ranges(&self) -> Vec<Option<String>> {
        let seen = self.stand_in.seen_by(false);
        let range = |request: &Request| request.header("range").map(Into::into);
        seen.iter().map(range).collect()
    }
}

/// 3 MB and a bit, so that a part of it counts as progress.
pub(crate) fn noise(seed: usize) -> Vec<u8> {
    let mut state = seed as u64 + 1;
    let mut byte = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 56) as u8
    };
    (0..3_000_000 + seed).map(|_| byte()).collect()
}

pub(crate) fn path(number: usize) -> String {
    format!("{FOLDER}/train-{number:05}-of-00003.parquet")
}

pub(crate) fn on(_: &HubEvent<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

pub(crate) fn trouble(error: HubError) -> Trouble {
    match error {
        HubError::Failed { trouble, .. } => *trouble,
        other => panic!("{other}"),
    }
}

pub(crate) fn status(status: u16, headers: &[(&'static str, &str)]) -> Fault {
    let headers = headers
        .iter()
        .map(|&(name, value)| (name, value.to_owned()));
    Fault::Status(status, headers.collect(), "come back\n later")
}
