//! The client of the hub against a stand-in that makes mistakes.
#![cfg(feature = "hub")]
#![allow(clippy::unwrap_used, missing_docs)]

mod hub_stand_in;

use std::error::Error;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use chess_tokens::corpus::hub::{
    Clock, Hub, HubBuilder, HubError, HubEvent, HubFile, Trouble, Watch,
};
use hub_stand_in::{COMMIT, Fault, REPO, StandIn};

const FOLDER: &str = "data/year=2025/month=05";

/// A time that passes when it is waited for.
#[derive(Clone, Default)]
struct TestClock(Arc<Mutex<Vec<Duration>>>);

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
    fn waited(&self) -> Duration {
        self.0.lock().unwrap().drain(..).sum()
    }
}

struct Case {
    _temporary: tempfile::TempDir,
    to: PathBuf,
    files: Vec<Vec<u8>>,
    stand_in: StandIn,
    clock: TestClock,
}

impl Case {
    /// Three files of a month.
    fn new() -> Self {
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

    fn builder(&self) -> HubBuilder {
        Hub::builder(REPO)
            .environment(|_| None)
            .endpoint(self.stand_in.endpoint())
            .clock(self.clock.clone())
            .timeout(Duration::from_secs(20))
    }

    fn hub(&self) -> Hub {
        self.builder().build().unwrap()
    }

    fn list(&self) -> Vec<HubFile> {
        self.hub().list(FOLDER, &mut on).unwrap()
    }

    /// Downloads the first file, and checks that it is that.
    fn download(&self) {
        let file = &self.list()[0];
        self.hub().download(file, &self.to, &mut on).unwrap();
        assert!(fs::read(&self.to).unwrap() == self.files[0]);
        assert!(!self.partial().exists());
    }

    /// Fails to.
    fn fail(&self) -> Trouble {
        let file = &self.list()[0];
        let error = self.hub().download(file, &self.to, &mut on).unwrap_err();
        assert!(!self.to.exists());
        trouble(error)
    }

    fn partial(&self) -> PathBuf {
        self.to.with_file_name("file.partial")
    }

    /// The parts of files that were asked for, of the server that sends them.
    fn ranges(&self) -> Vec<Option<String>> {
        let seen = self.stand_in.seen_by(false);
        let range = |request: &hub_stand_in::Request| request.header("range").map(Into::into);
        seen.iter().map(range).collect()
    }
}

/// 3 MB and a bit, so that a part of it counts as progress.
fn noise(seed: usize) -> Vec<u8> {
    let mut state = seed as u64 + 1;
    let mut byte = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 56) as u8
    };
    (0..3_000_000 + seed).map(|_| byte()).collect()
}

fn path(number: usize) -> String {
    format!("{FOLDER}/train-{number:05}-of-00003.parquet")
}

fn on(_: &HubEvent<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn trouble(error: HubError) -> Trouble {
    match error {
        HubError::Failed { trouble, .. } => *trouble,
        other => panic!("{other}"),
    }
}

fn status(status: u16, headers: &[(&'static str, &str)]) -> Fault {
    let headers = headers
        .iter()
        .map(|&(name, value)| (name, value.to_owned()));
    Fault::Status(status, headers.collect(), "come back\n later")
}

#[test]
fn lists_of_one_page_and_of_several() {
    let case = Case::new();
    let files = case.list();
    let paths: Vec<_> = files.iter().map(|file| file.path.clone()).collect();
    assert_eq!(paths, [0, 1, 2].map(path));
    let sizes: Vec<_> = files.iter().map(|file| file.size).collect();
    assert_eq!(sizes, [3_000_000, 3_000_001, 3_000_002]);
    assert!(files.iter().all(|file| file.sha256.is_some()));
    assert_eq!(case.stand_in.seen().len(), 1);
    case.stand_in.forget_seen();
    case.stand_in.page_items(1);
    assert_eq!(case.list(), files);
    // The fourth is a folder.
    assert_eq!(case.stand_in.seen().len(), 4);
    // A page that fails is asked for again, and not those before it.
    case.stand_in.forget_seen();
    case.stand_in.fault("cursor=2", 2, status(503, &[]));
    assert_eq!(case.list(), files);
    assert_eq!(case.stand_in.seen().len(), 6);
}

#[test]
fn what_the_hub_does_not_have() {
    let case = Case::new();
    let hub = case.builder().revision("refs/pr/7").build().unwrap();
    let error = hub.list(FOLDER, &mut on).unwrap_err();
    let address = case.stand_in.endpoint();
    assert_eq!(
        error.to_string(),
        format!(
            "{address}/api/datasets/{REPO}/tree/refs%2Fpr%2F7/data/year%3D2025/month%3D05: \
             failed at attempt 1, without a token"
        )
    );
    assert_eq!(
        error.source().unwrap().to_string(),
        "the server answers with status 404 and says \"Invalid rev id: refs\""
    );
    let error = case.hub().list("data/year=2031", &mut on).unwrap_err();
    assert_eq!(
        error.source().unwrap().to_string(),
        "the server answers with status 404 and says \
         \"data/year=2031 does not exist on \\\"main\\\"\""
    );
    let missing = HubFile::new("data/none", 5, None);
    let error = case
        .hub()
        .download(&missing, &case.to, &mut on)
        .unwrap_err();
    assert!(matches!(
        trouble(error),
        Trouble::Status { status: 404, .. }
    ));
    assert!(!case.partial().exists());
    assert_eq!(case.clock.waited(), Duration::ZERO);
}

#[test]
fn lists_that_are_none() {
    let case = Case::new();
    let fail = |body: &[u8]| {
        case.stand_in.fault("/tree/", 1, Fault::Body(body.to_vec()));
        let error = case.hub().list(FOLDER, &mut on).unwrap_err();
        error.source().unwrap().source().unwrap().to_string()
    };
    assert_eq!(fail(b"<html>"), "a page of it is no list of files");
    let elsewhere = br#"[{"type":"file","size":1,"path":"../../etc/passwd"}]"#;
    assert!(fail(elsewhere).starts_with("it has the file \"../../etc/passwd\""));
    assert_eq!(
        fail(&vec![b' '; (16 << 20) + 1]),
        "a page of it is longer than 16777216 bytes"
    );
    assert_eq!(case.clock.waited(), Duration::ZERO);
}

#[test]
fn files_by_each_kind_of_redirect() {
    let case = Case::new();
    case.download();
    assert_eq!(case.ranges(), [None]);
    // It is there.
    case.stand_in.forget_seen();
    case.download();
    assert_eq!(case.ranges(), []);
    fs::remove_file(&case.to).unwrap();
    case.stand_in.relative_redirects();
    case.download();
    fs::remove_file(&case.to).unwrap();
    case.stand_in.no_redirects();
    case.download();
    assert_eq!(case.ranges(), []);
}

#[test]
fn the_token_is_for_the_hub_alone() {
    let case = Case::new();
    let hub = || {
        case.builder()
            .token(Some("hf_secret".into()))
            .build()
            .unwrap()
    };
    case.stand_in.ask_for_token("hf_secret");
    let files = hub().list(FOLDER, &mut on).unwrap();
    hub().download(&files[0], &case.to, &mut on).unwrap();
    assert_eq!(case.stand_in.seen_by(false).len(), 1);
    case.stand_in.assert_no_token_leaked();
    for request in case.stand_in.seen_by(true) {
        assert_eq!(request.header("authorization"), Some("Bearer hf_secret"));
    }
    // To its own server it goes with a redirect too.
    fs::remove_file(&case.to).unwrap();
    case.stand_in.relative_redirects();
    hub().download(&files[0], &case.to, &mut on).unwrap();
    let last = case.stand_in.seen().pop().unwrap();
    assert_eq!(last.header("authorization"), Some("Bearer hf_secret"));
    assert!(last.target.starts_with("/raw/"));
    // A list that goes on elsewhere gets none either.
    let to = format!("{}/raw/x", case.stand_in.cdn());
    case.stand_in.fault("/tree/", 1, Fault::Redirect(to));
    assert!(hub().list(FOLDER, &mut on).is_err());
    case.stand_in.assert_no_token_leaked();
}

#[test]
fn errors_do_not_show_the_token() {
    let case = Case::new();
    case.stand_in.ask_for_token("another");
    let hub = case
        .builder()
        .token(Some("hf_secret".into()))
        .build()
        .unwrap();
    let error = hub.list(FOLDER, &mut on).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("failed at attempt 1, with the token that was given")
    );
    assert_eq!(
        error.source().unwrap().to_string(),
        "the server answers with status 401 and says \"Invalid credentials: Bearer …\""
    );
    assert!(!format!("{hub:?}{error:?}").contains("hf_secret"));
    let error = case.hub().list(FOLDER, &mut on).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("failed at attempt 1, without a token")
    );
}

#[test]
fn delays_double_and_end() {
    let case = Case::new();
    case.stand_in.fault("/tree/", 7, status(503, &[]));
    assert_eq!(case.list().len(), 3);
    // 0.5 + 1 + 2 + 4 + 8 + 16 + 32 s.
    assert_eq!(case.clock.waited(), Duration::from_millis(63_500));
    assert_eq!(case.stand_in.seen().len(), 8);
    case.stand_in.fault("/tree/", 8, status(429, &[]));
    let error = case.hub().list(FOLDER, &mut on).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("month%3D05: failed at attempt 8, without a token")
    );
    assert_eq!(
        error.source().unwrap().to_string(),
        "the server answers with status 429 and says \"come back later\""
    );
    assert_eq!(case.clock.waited(), Duration::from_millis(63_500));
}

#[test]
fn waits_that_the_server_asks_for() {
    let case = Case::new();
    for (name, value, seconds) in [
        ("Retry-After", "7", 7.0),
        ("Retry-After", "Sun, 06 Nov 1994 08:51:37 GMT", 120.0),
        ("Retry-After", "0", 0.5),
        ("Retry-After", "whenever", 0.5),
        ("RateLimit", "\"api\";r=0;t=213", 213.0),
        ("RateLimit", "\"api\";r=9;t=213", 0.5),
    ] {
        case.stand_in
            .fault("/tree/", 1, status(429, &[(name, value)]));
        case.list();
        assert_eq!(
            case.clock.waited(),
            Duration::from_secs_f64(seconds),
            "{name}: {value}"
        );
    }
    let both = [("Retry-After", "7"), ("RateLimit", "\"api\";r=0;t=9")];
    case.stand_in.fault("/tree/", 1, status(503, &both));
    case.list();
    assert_eq!(case.clock.waited(), Duration::from_secs(9));
    case.stand_in
        .fault("/tree/", 1, status(429, &[("Retry-After", "86400")]));
    let error = case.hub().list(FOLDER, &mut on).unwrap_err();
    assert_eq!(
        error.source().unwrap().to_string(),
        "the server answers with status 429, says \"come back later\" \
         and asks to wait 86400 s, which is longer than 3600 s"
    );
    assert_eq!(case.clock.waited(), Duration::ZERO);
}

#[test]
fn waiting_can_be_stopped() {
    let case = Case::new();
    case.stand_in
        .fault("/tree/", 9, status(429, &[("Retry-After", "300")]));
    let mut lefts = Vec::new();
    let mut watch = |event: &HubEvent<'_>| match event {
        HubEvent::Waiting {
            left,
            attempt,
            attempts,
            trouble,
        } => {
            assert_eq!((*attempt, *attempts), (1, 8));
            assert!(trouble.to_string().contains("429"));
            lefts.push(*left);
            match lefts.len() {
                5 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        }
        _ => ControlFlow::Continue(()),
    };
    let error = case
        .hub()
        .list(FOLDER, &mut watch as &mut Watch<'_>)
        .unwrap_err();
    assert_eq!(error.to_string(), "stopped on request");
    let expected = [300.0, 299.9, 299.8, 299.7, 299.6].map(Duration::from_secs_f64);
    assert_eq!(lefts, expected);
    assert_eq!(case.stand_in.seen().len(), 1);
}

#[test]
fn downloads_can_be_stopped_and_gone_on_with() {
    let case = Case::new();
    let file = &case.list()[0];
    let mut stop = |event: &HubEvent<'_>| match event {
        HubEvent::Received {
            bytes: 1_000_000..,
            size: 3_000_000,
        } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let error = case.hub().download(file, &case.to, &mut stop).unwrap_err();
    assert!(matches!(error, HubError::Cancelled));
    let there = fs::metadata(case.partial()).unwrap().len();
    assert!((1_000_000..3_000_000).contains(&there), "{there}");
    case.download();
    assert_eq!(case.ranges(), [None, Some(format!("bytes={there}-"))]);
    // While it is compared too.
    fs::rename(&case.to, case.partial()).unwrap();
    let mut stop = |event: &HubEvent<'_>| match event {
        HubEvent::Checking { .. } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let error = case.hub().download(file, &case.to, &mut stop).unwrap_err();
    assert!(matches!(error, HubError::Cancelled));
    case.download();
    assert_eq!(case.ranges().len(), 2);
}

#[test]
fn dropped_connections_go_on_where_they_were() {
    let case = Case::new();
    for bytes in [1_000_000, 500_000, 0] {
        case.stand_in.fault("/raw/", 1, Fault::DropAfter(bytes));
    }
    case.download();
    let expected = [
        None,
        Some("bytes=1000000-"),
        Some("bytes=1500000-"),
        Some("bytes=1500000-"),
    ];
    assert_eq!(case.ranges(), expected.map(|range| range.map(String::from)));
    assert_eq!(
        case.clock.waited(),
        Duration::from_millis(500 + 1000 + 2000)
    );
}

#[test]
fn attempts_count_anew_after_progress() {
    let case = Case::new();
    case.stand_in.fault("/raw/", 7, Fault::DropAfter(0));
    case.stand_in.fault("/raw/", 1, Fault::DropAfter(2_000_000));
    case.stand_in.fault("/raw/", 6, Fault::DropAfter(1));
    case.download();
    assert_eq!(case.ranges().len(), 15);
    // And end without.
    fs::remove_file(&case.to).unwrap();
    case.stand_in.fault("/raw/", 8, Fault::DropAfter(10));
    let text = case.fail().to_string();
    let expected = "the connection failed after 80 bytes of 3000000: ";
    assert!(text.starts_with(expected), "{text}");
    assert_eq!(fs::metadata(case.partial()).unwrap().len(), 80);
}

#[test]
fn silence_is_a_failed_attempt() {
    let case = Case::new();
    case.stand_in
        .fault("/tree/", 1, Fault::Silence(Duration::from_secs(30)));
    let hub = case
        .builder()
        .timeout(Duration::from_millis(300))
        .build()
        .unwrap();
    let started = Instant::now();
    hub.list(FOLDER, &mut on).unwrap();
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(case.clock.waited(), Duration::from_millis(500));
    let hub = case
        .builder()
        .attempts(1)
        .timeout(Duration::from_millis(300))
        .build()
        .unwrap();
    case.stand_in
        .fault("/tree/", 1, Fault::Silence(Duration::from_secs(30)));
    let text = trouble(hub.list(FOLDER, &mut on).unwrap_err()).to_string();
    assert!(text.starts_with("the connection failed: timeout"), "{text}");
}

#[test]
fn nobody_there() {
    let case = Case::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let hub = case.builder().endpoint(nobody).build().unwrap();
    let error = hub.list(FOLDER, &mut on).unwrap_err();
    assert!(error.to_string().contains("failed at attempt 8"), "{error}");
    let text = trouble(error).to_string();
    assert!(text.starts_with("the connection failed: "), "{text}");
}

#[test]
fn files_of_another_length() {
    let case = Case::new();
    // A server that is wrong for once.
    case.stand_in.fault("/raw/", 2, Fault::Longer(5));
    case.download();
    assert_eq!(case.ranges(), [None, None, None]);
    fs::remove_file(&case.to).unwrap();
    case.stand_in.fault("/raw/", 8, Fault::Longer(5));
    let text = case.fail().to_string();
    assert_eq!(text, "the file has 3000005 bytes, 3000000 are listed");
    // It was listed otherwise.
    case.stand_in.forget_seen();
    let file = HubFile::new(path(0), 2_999_999, None);
    let error = case.hub().download(&file, &case.to, &mut on).unwrap_err();
    assert!(error.to_string().contains("failed at attempt 8"), "{error}");
    assert_eq!(
        trouble(error).to_string(),
        "the file has 3000000 bytes, 2999999 are listed"
    );
    // Nothing of it was asked for.
    assert_eq!(case.stand_in.seen_by(false).len(), 0);
}

#[test]
fn files_of_other_bytes() {
    let case = Case::new();
    case.stand_in.fault("/raw/", 1, Fault::WrongByte);
    case.download();
    assert_eq!(case.ranges(), [None, None]);
    fs::remove_file(&case.to).unwrap();
    case.stand_in.fault("/raw/", 2, Fault::WrongByte);
    assert!(matches!(case.fail(), Trouble::Hash { .. }));
    assert!(!case.partial().exists());
    // A part of something else from an earlier call.
    fs::write(case.partial(), vec![7; 1_000_000]).unwrap();
    case.stand_in.forget_seen();
    case.download();
    assert_eq!(case.ranges(), [Some("bytes=1000000-".into()), None]);
    // It is known to be another file before it comes.
    fs::remove_file(&case.to).unwrap();
    let other = &case.list()[1];
    let file = HubFile::new(path(0), 3_000_000, other.sha256);
    case.stand_in.forget_seen();
    let error = case.hub().download(&file, &case.to, &mut on).unwrap_err();
    assert!(matches!(trouble(error), Trouble::Hash { .. }));
    assert_eq!(case.ranges(), []);
}

#[test]
fn servers_without_parts() {
    let case = Case::new();
    fs::write(case.partial(), &case.files[0][..1_000_000]).unwrap();
    case.stand_in.fault("/raw/", 1, Fault::NoParts);
    case.download();
    assert_eq!(case.ranges(), [Some("bytes=1000000-".into())]);
    fs::remove_file(&case.to).unwrap();
    fs::write(case.partial(), &case.files[0][..1_000_000]).unwrap();
    case.stand_in.forget_seen();
    case.stand_in.fault("/raw/", 1, Fault::WrongPart);
    case.download();
    assert_eq!(case.ranges(), [Some("bytes=1000000-".into()), None]);
    // More than there is, and all there is.
    fs::remove_file(&case.to).unwrap();
    case.stand_in.forget_seen();
    fs::write(case.partial(), vec![0; 3_000_001]).unwrap();
    case.download();
    assert_eq!(case.ranges(), [None]);
    fs::rename(&case.to, case.partial()).unwrap();
    case.stand_in.forget_seen();
    case.download();
    assert_eq!(case.ranges(), []);
}

#[test]
fn redirects_end() {
    let case = Case::new();
    let around = format!("{}/raw/around?Signature=secret", case.stand_in.cdn());
    case.stand_in
        .fault("/resolve/", 1, Fault::Redirect(around.clone()));
    case.stand_in
        .fault("/raw/around", 9, Fault::Redirect(around));
    let text = case.fail().to_string();
    let shown = format!("{}/raw/around", case.stand_in.cdn());
    let expected = format!("a redirect to {shown:?} is not followed: there were 5 already");
    assert_eq!(text, expected);
    assert_eq!(case.stand_in.seen_by(false).len(), 5);
}

#[test]
fn the_commit_is_pinned() {
    let case = Case::new();
    let hub = case.hub();
    assert_eq!(hub.commit(), None);
    let files = hub.list(FOLDER, &mut on).unwrap();
    assert_eq!(hub.commit(), None);
    assert_eq!(
        hub.pin(&files[0].path, &mut on).unwrap().as_deref(),
        Some(COMMIT)
    );
    assert!(case.stand_in.seen_by(false).is_empty());
    case.stand_in.forget_seen();
    hub.list(FOLDER, &mut on).unwrap();
    hub.download(&files[0], &case.to, &mut on).unwrap();
    for request in case.stand_in.seen_by(true) {
        assert!(request.target.contains(COMMIT), "{}", request.target);
    }
    // Lists may name it too.
    case.stand_in.name_the_commit(true, true);
    let hub = case.hub();
    hub.list(FOLDER, &mut on).unwrap();
    assert_eq!(hub.commit().as_deref(), Some(COMMIT));
    let unpinned = hub.pinned_to(None);
    assert_eq!(unpinned.commit(), None);
    // Or nobody.
    case.stand_in.name_the_commit(false, false);
    assert_eq!(unpinned.pin(&files[0].path, &mut on).unwrap(), None);
    unpinned.download(&files[0], &case.to, &mut on).unwrap();
}

#[test]
fn another_commit_is_refused() {
    let case = Case::new();
    let other = "76543210abcdef0123456789abcdef0123456789";
    let files = case.list();
    let hub = case.hub().pinned_to(Some(COMMIT));
    case.stand_in.fault("/resolve/", 1, Fault::Commit(other));
    let error = hub.download(&files[0], &case.to, &mut on).unwrap_err();
    let expected = format!("the dataset is now at commit {other}, expected {COMMIT}");
    assert_eq!(trouble(error).to_string(), expected);
    case.stand_in
        .fault("/resolve/", 1, Fault::Commit("../../x"));
    let error = case
        .hub()
        .download(&files[0], &case.to, &mut on)
        .unwrap_err();
    let expected = "the answer names the commit \"../../x\", expected hexadecimal digits";
    assert_eq!(trouble(error).to_string(), expected);
}
