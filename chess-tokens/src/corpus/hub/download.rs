//! Whole files, gone on with after an interruption.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use ureq::Body;
use ureq::http::Response;

use super::error::{HubError, Trouble, file_error};
use super::headers;
use super::request::{range_trouble, text};
use super::retry::{Failure, tell};
use super::{Hub, HubEvent, HubFile, Watch};
use crate::corpus::FileHash;

impl Hub {
    /// Downloads a file, if it is not there already.
    ///
    /// It grows beside `to`, with `.partial` behind its name, and takes its place when its length and its
    /// hash are those that were listed. What is there of it from an earlier call is gone on with; bytes
    /// that turn out to be wrong are downloaded once more.
    ///
    /// # Errors
    ///
    /// A [`HubError`]; what is downloaded stays, unless it is wrong.
    pub fn download(
        &self,
        file: &HubFile,
        to: impl AsRef<Path>,
        watch: &mut Watch<'_>,
    ) -> Result<(), HubError> {
        let to = to.as_ref();
        let url = self.file_url(&file.path);
        if to.is_file() && check(file, to, watch)?.is_none() {
            return Ok(());
        }
        let partial = Partial::beside(to);
        let mut again = true;
        loop {
            self.retry(&url, watch, |watch| self.go_on(file, &partial, watch))?;
            let Some(trouble) = check(file, &partial.path, watch)? else {
                return partial.put_in_place(to);
            };
            partial.remove()?;
            if !again {
                return Err(self.failed(&url, 2, trouble));
            }
            again = false;
        }
    }

    /// One attempt to get what is missing of a file.
    fn go_on(
        &self,
        file: &HubFile,
        partial: &Partial,
        watch: &mut Watch<'_>,
    ) -> Result<(), Failure> {
        let mut have = partial.len()?;
        if have > file.size {
            partial.remove()?;
            have = 0;
        }
        if have == file.size && have > 0 {
            return Ok(());
        }
        let url = self.file_url(&file.path);
        let opened = self.open(&url, have, Some(file));
        let opened = opened.and_then(|response| Ok((start_of(&response, have, file)?, response)));
        if let Err(Failure::Trouble {
            trouble: Trouble::Range { .. },
            ..
        }) = opened
        {
            // The server has no such part: from the start, next time.
            partial.remove()?;
        }
        let (start, response) = opened?;
        let mut output = partial.open(start)?;
        let mut input = response.into_body().into_reader();
        copy(file, start, &mut input, &mut output, partial, watch)
    }
}

/// Where in the file the answer begins.
fn start_of(response: &Response<Body>, asked: u64, file: &HubFile) -> Result<u64, Trouble> {
    let headers = response.headers();
    let start = match response.status().as_u16() {
        206 => {
            let range = text(headers, "content-range").and_then(headers::content_range);
            match range {
                Some((start, whole)) if start == asked => {
                    check_size(whole.unwrap_or(file.size), file)?;
                    start
                }
                _ => return Err(range_trouble(asked, headers)),
            }
        }
        // A server that gives no parts begins at the start.
        _ => 0,
    };
    if let Some(length) = response.body().content_length() {
        check_size(start.saturating_add(length), file)?;
    }
    Ok(start)
}

const fn check_size(found: u64, file: &HubFile) -> Result<(), Trouble> {
    if found == file.size {
        return Ok(());
    }
    Err(Trouble::Size {
        found,
        expected: file.size,
    })
}

/// Copies what comes to the end of the file.
fn copy(
    file: &HubFile,
    start: u64,
    input: &mut impl Read,
    output: &mut File,
    partial: &Partial,
    watch: &mut Watch<'_>,
) -> Result<(), Failure> {
    let mut buffer = vec![0; 256 << 10];
    let (mut bytes, size) = (start, file.size);
    loop {
        tell(watch, &HubEvent::Received { bytes, size })?;
        let dropped = |said: String| Failure::Trouble {
            trouble: Trouble::Dropped {
                received: bytes,
                expected: size,
                said,
            },
            wait: None,
            received: bytes - start,
        };
        let read = match input.read(&mut buffer) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(dropped(error.to_string())),
        };
        if read == 0 {
            return match bytes == size {
                true => Ok(()),
                false => Err(dropped("the answer ends".into())),
            };
        }
        bytes += read as u64;
        if bytes > size {
            // The file is longer than was listed, by how much is not known.
            check_size(bytes, file)?;
        }
        let written = output.write_all(&buffer[..read]);
        written.map_err(|source| file_error(&partial.path, source))?;
    }
}

/// What is wrong with a file that was downloaded, if anything is.
fn check(file: &HubFile, path: &Path, watch: &mut Watch<'_>) -> Result<Option<Trouble>, HubError> {
    let size = file.size;
    let found = fs::metadata(path)
        .map_err(|source| file_error(path, source))?
        .len();
    if let Err(trouble) = check_size(found, file) {
        return Ok(Some(trouble));
    }
    let Some(expected) = file.sha256 else {
        return Ok(None);
    };
    let mut cancelled = false;
    let opened = File::open(path).map_err(|source| file_error(path, source))?;
    let hashed = FileHash::of_reader(opened, |bytes| {
        tell(watch, &HubEvent::Checking { bytes, size }).map_err(|_| {
            cancelled = true;
            io::Error::other("stopped")
        })
    });
    match hashed {
        Err(_) if cancelled => Err(HubError::Cancelled),
        Err(source) => Err(file_error(path, source)),
        Ok((found, _)) if found != expected => Ok(Some(Trouble::Hash { found, expected })),
        Ok(_) => Ok(None),
    }
}

/// A file that is not whole yet.
struct Partial {
    path: PathBuf,
}

impl Partial {
    fn beside(to: &Path) -> Self {
        let mut path = to.as_os_str().to_owned();
        path.push(".partial");
        Self { path: path.into() }
    }

    fn len(&self) -> Result<u64, HubError> {
        match fs::metadata(&self.path) {
            Ok(metadata) => Ok(metadata.len()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
            Err(source) => Err(file_error(&self.path, source)),
        }
    }

    /// To be written from a byte on, which is its end or its start.
    fn open(&self, start: u64) -> Result<File, HubError> {
        let mut options = OpenOptions::new();
        let opened = options.append(true).create(true).open(&self.path);
        let cut = opened.and_then(|file| file.set_len(start).map(|()| file));
        cut.map_err(|source| file_error(&self.path, source))
    }

    fn remove(&self) -> Result<(), HubError> {
        match fs::remove_file(&self.path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(file_error(&self.path, source))
            }
            _ => Ok(()),
        }
    }

    /// What is whole is brought to the disk first.
    fn put_in_place(&self, to: &Path) -> Result<(), HubError> {
        let synced = OpenOptions::new().append(true).open(&self.path);
        let synced = synced.and_then(|file| file.sync_all());
        let renamed = synced.and_then(|()| fs::rename(&self.path, to));
        renamed.map_err(|source| file_error(to, source))
    }
}
