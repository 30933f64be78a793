//! A stand-in for the hub on this machine: it serves a folder as a dataset, redirects to a second
//! server as the hub does to its CDN, and makes the mistakes that it is told to make.
#![allow(dead_code)] // Each test uses a part of it.

mod http;

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use chess_tokens::corpus::FileHash;
pub(crate) use http::Request;
use http::{Answer, Connection};

/// The dataset's name.
pub(crate) const REPO: &str = "owner/games";

/// The commit that the stand-in is at, unless it is told otherwise.
pub(crate) const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// A mistake of the server.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// It says nothing for a while, and then closes the connection.
    Silence(Duration),
    /// It answers with a status, these headers and a text.
    Status(u16, Vec<(&'static str, String)>, &'static str),
    /// It closes the connection after so many bytes of the body.
    DropAfter(u64),
    /// It tells a length that is longer by so much, and sends it.
    Longer(u64),
    /// It sends a wrong first byte.
    WrongByte,
    /// It sends the whole file whatever part is asked for.
    NoParts,
    /// It sends a part from the start when one from elsewhere is asked for.
    WrongPart,
    /// It sends a body of these bytes.
    Body(Vec<u8>),
    /// It names this commit.
    Commit(&'static str),
    /// It redirects to here.
    Redirect(String),
}

struct Rule {
    part_of_target: String,
    times: u32,
    fault: Fault,
}

/// What the stand-in is told.
struct State {
    folder: PathBuf,
    hub: SocketAddr,
    cdn: SocketAddr,
    /// Files of a page of a list.
    page_items: AtomicU64,
    /// 0 for as fast as it can.
    bytes_per_second: AtomicU64,
    lists_name_the_commit: AtomicBool,
    files_name_the_commit: AtomicBool,
    /// Whether files are sent by the second server.
    redirects: AtomicBool,
    /// Whether redirects name no server.
    relative: AtomicBool,
    token: Mutex<Option<String>>,
    rules: Mutex<Vec<Rule>>,
    seen: Mutex<Vec<Request>>,
    ended: AtomicBool,
}

/// A running stand-in; it stops when it is dropped.
pub(crate) struct StandIn(Arc<State>);

impl StandIn {
    /// Serves the files of a folder as those of the dataset [`REPO`].
    pub(crate) fn start(folder: impl Into<PathBuf>) -> Self {
        let listener = || TcpListener::bind("127.0.0.1:0").unwrap();
        let (hub, cdn) = (listener(), listener());
        let state = Arc::new(State {
            folder: folder.into(),
            hub: hub.local_addr().unwrap(),
            cdn: cdn.local_addr().unwrap(),
            page_items: AtomicU64::new(1000),
            bytes_per_second: AtomicU64::new(0),
            lists_name_the_commit: AtomicBool::new(false),
            files_name_the_commit: AtomicBool::new(true),
            redirects: AtomicBool::new(true),
            relative: AtomicBool::new(false),
            token: Mutex::new(None),
            rules: Mutex::new(Vec::new()),
            seen: Mutex::new(Vec::new()),
            ended: AtomicBool::new(false),
        });
        serve(&state, hub, true);
        serve(&state, cdn, false);
        Self(state)
    }

    /// For `HF_ENDPOINT`.
    pub(crate) fn endpoint(&self) -> String {
        format!("http://{}", self.0.hub)
    }

    pub(crate) fn cdn(&self) -> String {
        format!("http://{}", self.0.cdn)
    }

    /// Makes a mistake the next so many times that something is asked for whose address has this part.
    pub(crate) fn fault(&self, part_of_target: &str, times: u32, fault: Fault) {
        self.0.rules.lock().unwrap().push(Rule {
            part_of_target: part_of_target.into(),
            times,
            fault,
        });
    }

    /// Forgets the mistakes that were not made yet.
    pub(crate) fn behave(&self) {
        self.0.rules.lock().unwrap().clear();
    }

    /// How many files a page of a list has.
    pub(crate) fn page_items(&self, items: u64) {
        self.0.page_items.store(items, Ordering::Relaxed);
    }

    /// How fast files are sent.
    pub(crate) fn bytes_per_second(&self, bytes: u64) {
        self.0.bytes_per_second.store(bytes, Ordering::Relaxed);
    }

    /// Whether lists and files name the commit.
    pub(crate) fn name_the_commit(&self, lists: bool, files: bool) {
        self.0.lists_name_the_commit.store(lists, Ordering::Relaxed);
        self.0.files_name_the_commit.store(files, Ordering::Relaxed);
    }

    /// Sends files without a redirect.
    pub(crate) fn no_redirects(&self) {
        self.0.redirects.store(false, Ordering::Relaxed);
    }

    /// Redirects to its own server.
    pub(crate) fn relative_redirects(&self) {
        self.0.relative.store(true, Ordering::Relaxed);
    }

    /// Refuses whoever does not have this token.
    pub(crate) fn ask_for_token(&self, token: &str) {
        *self.0.token.lock().unwrap() = Some(token.into());
    }

    /// What was asked, in order.
    pub(crate) fn seen(&self) -> Vec<Request> {
        self.0.seen.lock().unwrap().clone()
    }

    /// What was asked of one server.
    pub(crate) fn seen_by(&self, hub: bool) -> Vec<Request> {
        let mut seen = self.seen();
        seen.retain(|request| request.to_hub == hub);
        seen
    }

    pub(crate) fn forget_seen(&self) {
        self.0.seen.lock().unwrap().clear();
    }

    /// No token ever came to the second server.
    pub(crate) fn assert_no_token_leaked(&self) {
        for request in self.seen_by(false) {
            assert_eq!(request.header("authorization"), None, "{}", request.target);
        }
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.0.ended.store(true, Ordering::Relaxed);
        // Wakes the threads that wait for a connection.
        for address in [self.0.hub, self.0.cdn] {
            drop(std::net::TcpStream::connect(address));
        }
    }
}

fn serve(state: &Arc<State>, listener: TcpListener, is_hub: bool) {
    let state = Arc::clone(state);
    thread::spawn(move || {
        for stream in listener.incoming() {
            if state.ended.load(Ordering::Relaxed) {
                return;
            }
            let (state, Ok(stream)) = (Arc::clone(&state), stream) else {
                continue;
            };
            thread::spawn(move || {
                // Whoever asks may be gone at any moment.
                let _ = state.converse(Connection::new(stream), is_hub);
            });
        }
    });
}

impl State {
    fn converse(&self, mut connection: Connection, is_hub: bool) -> std::io::Result<()> {
        let Some(request) = connection.request(is_hub)? else {
            return Ok(());
        };
        self.seen.lock().unwrap().push(request.clone());
        let fault = self.next_fault(&request);
        if let Some(Fault::Silence(time)) = fault {
            thread::sleep(time);
            return Ok(());
        }
        let mut answer = self.answer(&request, fault.as_ref());
        let drop_after = match fault {
            Some(Fault::DropAfter(bytes)) => Some(bytes),
            Some(Fault::Longer(bytes)) => {
                answer.body.resize(answer.body.len() + bytes as usize, b'+');
                None
            }
            _ => None,
        };
        let speed = self.bytes_per_second.load(Ordering::Relaxed);
        connection.send(&answer, drop_after, speed)
    }

    fn next_fault(&self, request: &Request) -> Option<Fault> {
        let mut rules = self.rules.lock().unwrap();
        let target = &request.decoded;
        let rule = rules
            .iter_mut()
            .find(|rule| rule.times > 0 && target.contains(&rule.part_of_target))?;
        rule.times -= 1;
        Some(rule.fault.clone())
    }

    fn answer(&self, request: &Request, fault: Option<&Fault>) -> Answer {
        match fault {
            Some(Fault::Status(status, headers, said)) => {
                let mut answer = Answer::new(*status, said.as_bytes());
                for (name, value) in headers {
                    answer.header(name, value);
                }
                return answer;
            }
            Some(Fault::Body(body)) => return Answer::new(200, body),
            Some(Fault::Redirect(to)) => {
                let mut answer = Answer::new(302, b"");
                answer.header("Location", to);
                return answer;
            }
            _ => {}
        }
        let token = self.token.lock().unwrap().clone();
        let expected = token.map(|token| format!("Bearer {token}"));
        if request.to_hub
            && expected.is_some()
            && request.header("authorization") != expected.as_deref()
        {
            let given = request.header("authorization").unwrap_or("nothing");
            return Answer::error(401, &format!("Invalid credentials: {given}"));
        }
        let commit = match fault {
            Some(Fault::Commit(commit)) => Some(*commit),
            _ => None,
        };
        let path = request.path();
        let list = format!("/api/datasets/{REPO}/tree/");
        let file = format!("/datasets/{REPO}/resolve/");
        if let Some(rest) = path.strip_prefix(&list).filter(|_| request.to_hub) {
            self.list(request, rest, commit)
        } else if let Some(rest) = path.strip_prefix(&file).filter(|_| request.to_hub) {
            self.resolve(request, rest, commit, fault)
        } else if let Some(rest) = path.strip_prefix("/raw/") {
            self.file(request, rest, fault)
        } else {
            Answer::error(404, "Repository not found")
        }
    }

    /// A page of the files below a folder.
    fn list(&self, request: &Request, rest: &str, commit: Option<&str>) -> Answer {
        let (revision, folder) = rest.split_once('/').unwrap_or((rest, ""));
        if !is_revision(revision) {
            return Answer::error(404, &format!("Invalid rev id: {revision}"));
        }
        assert_eq!(request.query("recursive"), Some("true"));
        let items = self.items(folder);
        if items.is_empty() {
            return Answer::error(404, &format!("{folder} does not exist on \"{revision}\""));
        }
        let page_items = self.page_items.load(Ordering::Relaxed) as usize;
        let first: usize = request
            .query("cursor")
            .map_or(0, |text| text.parse().unwrap());
        let end = items.len().min(first + page_items);
        let body = format!("[{}]", items[first..end].join(","));
        let mut answer = Answer::new(200, body.as_bytes());
        if end < items.len() {
            let address = request.target.split('?').next().unwrap();
            let next = format!("http://{}{address}?recursive=true&cursor={end}", self.hub);
            answer.header("Link", &format!("<{next}>; rel=\"next\""));
        }
        if self.lists_name_the_commit.load(Ordering::Relaxed) {
            answer.header("X-Repo-Commit", commit.unwrap_or(COMMIT));
        }
        answer
    }

    /// What the list says of each file, last path first, as no order is promised.
    fn items(&self, folder: &str) -> Vec<String> {
        let mut paths = Vec::new();
        files_below(&self.folder.join(folder), &mut paths);
        paths.sort();
        paths.reverse();
        let item = |path: &PathBuf| {
            let (hash, size) = FileHash::of_file(path).unwrap();
            let path = path.strip_prefix(&self.folder).unwrap();
            let path = path.to_str().unwrap().replace('\\', "/");
            format!(
                r#"{{"type":"file","oid":"1f","size":{size},"path":"{path}",
                    "lfs":{{"oid":"{hash}","size":{size},"pointerSize":135}}}}"#
            )
        };
        let directory =
            format!(r#"{{"type":"directory","oid":"2e","size":0,"path":"{folder}/sub"}}"#);
        match paths.is_empty() {
            true => Vec::new(),
            false => paths.iter().map(item).chain([directory]).collect(),
        }
    }

    /// A file, or the way to it.
    fn resolve(
        &self,
        request: &Request,
        rest: &str,
        commit: Option<&str>,
        fault: Option<&Fault>,
    ) -> Answer {
        let (revision, path) = rest.split_once('/').unwrap_or((rest, ""));
        if !is_revision(revision) {
            return Answer::error(404, &format!("Invalid rev id: {revision}"));
        }
        let Ok((hash, size)) = FileHash::of_file(self.folder.join(path)) else {
            return Answer::error(404, "Entry not found");
        };
        let mut answer = if self.redirects.load(Ordering::Relaxed) {
            let server = match self.relative.load(Ordering::Relaxed) {
                true => String::new(),
                false => format!("http://{}", self.cdn),
            };
            let mut answer = Answer::new(302, b"Found. Redirecting");
            answer.header("Location", &format!("{server}/raw/{path}?Signature=secret"));
            answer
        } else {
            self.file(request, path, fault)
        };
        answer.header("X-Linked-Size", &size.to_string());
        answer.header("X-Linked-Etag", &format!("\"{hash}\""));
        if self.files_name_the_commit.load(Ordering::Relaxed) {
            answer.header("X-Repo-Commit", commit.unwrap_or(COMMIT));
        }
        answer
    }

    /// The bytes of a file, or of a part.
    fn file(&self, request: &Request, path: &str, fault: Option<&Fault>) -> Answer {
        let Ok(mut bytes) = fs::read(self.folder.join(path)) else {
            return Answer::error(404, "NoSuchKey");
        };
        let size = bytes.len();
        if matches!(fault, Some(Fault::WrongByte)) {
            bytes[0] ^= 1;
        }
        let range = request
            .header("range")
            .filter(|_| !matches!(fault, Some(Fault::NoParts)));
        let Some(range) = range else {
            return Answer::new(200, &bytes);
        };
        let start = range
            .strip_prefix("bytes=")
            .unwrap()
            .strip_suffix('-')
            .unwrap();
        let start: usize = match fault {
            Some(Fault::WrongPart) => 0,
            _ => start.parse().unwrap(),
        };
        if start >= size {
            let mut answer = Answer::error(416, "InvalidRange");
            answer.header("Content-Range", &format!("bytes */{size}"));
            return answer;
        }
        let mut answer = Answer::new(206, &bytes[start..]);
        answer.header(
            "Content-Range",
            &format!("bytes {start}-{}/{size}", size - 1),
        );
        answer
    }
}

fn is_revision(text: &str) -> bool {
    matches!(text, "main" | COMMIT)
}

fn files_below(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, paths);
        } else {
            paths.push(path);
        }
    }
}
