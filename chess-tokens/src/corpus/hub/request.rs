//! A request, the redirects that it leads to, and what the answer says.

use std::io::Read;

use ureq::Body;
use ureq::http::{HeaderMap, Response};

use super::error::Trouble;
use super::headers;
use super::retry::Failure;
use super::url::Url;
use super::{Hub, HubFile};

/// The most redirects that are followed.
const MAX_REDIRECTS: usize = 5;

/// As much is read of what a server says about a failure.
const SAID_BYTES: u64 = 300;

impl Hub {
    /// Asks for a file, from a byte on, or for something else, and follows redirects.
    pub(super) fn open(
        &self,
        url: &Url,
        from: u64,
        file: Option<&HubFile>,
    ) -> Result<Response<Body>, Failure> {
        let mut url = url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let response = self.ask(&url, from)?;
            if let Some(file) = file {
                check_linked(response.headers(), file)?;
            }
            match response.status().as_u16() {
                200 | 206 => return Ok(response),
                301 | 302 | 303 | 307 | 308 => url = redirect(&url, response.headers())?,
                416 => return Err(range_trouble(from, response.headers()).into()),
                _ => return Err(self.refused(response)),
            }
        }
        Err(not_followed(&url, "there were 5 already").into())
    }

    /// Asks once. The token goes to the endpoint's server alone.
    pub(super) fn ask(&self, url: &Url, from: u64) -> Result<Response<Body>, Failure> {
        let mut request = self.agent.get(url.to_request());
        let is_endpoint = url.is_same_origin(&self.settings.endpoint);
        if let Some(token) = self.settings.token.as_ref().filter(|_| is_endpoint) {
            request = request.header("Authorization", token.header());
        }
        if from > 0 {
            request = request.header("Range", format!("bytes={from}-"));
        }
        let response = request.call().map_err(|error| connection(&error))?;
        if is_endpoint {
            self.pin_from(response.headers())?;
        }
        Ok(response)
    }

    /// What an answer that refuses says, and how long it asks to wait.
    pub(super) fn refused(&self, response: Response<Body>) -> Failure {
        let status = response.status().as_u16();
        let headers = response.headers();
        let now = self.settings.clock.now();
        let retry = text(headers, "retry-after").and_then(|text| headers::retry_after(text, now));
        let window = all(headers, "ratelimit")
            .filter_map(headers::rate_limit)
            .max();
        let wait = retry.max(window);
        let said = match text(headers, "x-error-message") {
            Some(said) => said.to_owned(),
            None => start_of(response),
        };
        let said = match &self.settings.token {
            Some(token) => token.hidden_in(&said),
            None => said,
        };
        Failure::Trouble {
            trouble: Trouble::Status { status, said },
            wait,
            received: 0,
        }
    }

    /// Pins the commit of the first answer that names one; later answers must name the same.
    fn pin_from(&self, headers: &HeaderMap) -> Result<(), Trouble> {
        let Some(found) = text(headers, "x-repo-commit") else {
            return Ok(());
        };
        if !is_commit(found) {
            return Err(Trouble::NoCommit {
                found: found.chars().take(80).collect(),
            });
        }
        let mut commit = self.lock_commit();
        let expected = commit.get_or_insert_with(|| found.to_owned());
        if expected != found {
            return Err(Trouble::Commit {
                found: found.into(),
                expected: expected.clone(),
            });
        }
        Ok(())
    }
}

/// A commit of git: 40 hexadecimal digits, or 64.
pub(super) fn is_commit(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    matches!(text.len(), 40 | 64) && text.bytes().all(is_digit)
}

fn redirect(from: &Url, headers: &HeaderMap) -> Result<Url, Trouble> {
    let Some(location) = text(headers, "location") else {
        return Err(not_followed(&"", "it leads nowhere"));
    };
    let to = from.join(location).map_err(|_| {
        let shown: String = location.chars().take_while(|&char| char != '?').collect();
        not_followed(&shown, "it leads to no address of https or http")
    })?;
    if from.is_https() && !to.is_https() {
        return Err(not_followed(&to, "it leads from https to http"));
    }
    Ok(to)
}

fn not_followed(to: &impl ToString, why: &'static str) -> Trouble {
    let to = to.to_string();
    Trouble::Redirect { to, why }
}

/// Refuses another file than the one that was listed before it is downloaded.
fn check_linked(headers: &HeaderMap, file: &HubFile) -> Result<(), Trouble> {
    let size = text(headers, "x-linked-size").and_then(|text| text.parse().ok());
    if let Some(found) = size.filter(|&size: &u64| size != file.size) {
        return Err(Trouble::Size {
            found,
            expected: file.size,
        });
    }
    let hash = text(headers, "x-linked-etag").and_then(|text| headers::etag(text).parse().ok());
    match (hash, file.sha256) {
        (Some(found), Some(expected)) if found != expected => {
            Err(Trouble::Hash { found, expected })
        }
        _ => Ok(()),
    }
}

pub(super) fn range_trouble(asked: u64, headers: &HeaderMap) -> Trouble {
    Trouble::Range {
        asked,
        found: text(headers, "content-range").map(|text| text.chars().take(80).collect()),
    }
}

/// A header, if it is there and text.
pub(super) fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

pub(super) fn all<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = &'a str> {
    let values = headers.get_all(name).iter();
    values.filter_map(|value| value.to_str().ok())
}

/// The start of an answer that explains a failure, in one line.
fn start_of(response: Response<Body>) -> String {
    let mut bytes = Vec::new();
    let reader = response.into_body().into_reader();
    // What was read until it failed is better than nothing.
    let _ = reader.take(SAID_BYTES).read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn connection(error: &ureq::Error) -> Trouble {
    use std::io::ErrorKind::{InvalidData, InvalidInput};
    let temporary = match error {
        ureq::Error::Io(error) => !matches!(error.kind(), InvalidData | InvalidInput),
        ureq::Error::Timeout(_)
        | ureq::Error::HostNotFound
        | ureq::Error::ConnectionFailed
        | ureq::Error::Protocol(_) => true,
        _ => false,
    };
    let said = error.to_string();
    Trouble::Connection { said, temporary }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits() {
        assert!(is_commit(&"0a".repeat(20)) && is_commit(&"f".repeat(64)));
        for text in [
            "",
            "main",
            &"g".repeat(40),
            &"0".repeat(39),
            &"A".repeat(40),
        ] {
            assert!(!is_commit(text), "{text}");
        }
    }

    #[test]
    fn redirects_that_are_not_followed() {
        let redirect = |from: &str, location: Option<&str>| {
            let mut headers = HeaderMap::new();
            if let Some(location) = location {
                headers.insert("location", location.parse().unwrap());
            }
            let from = Url::parse(from).unwrap();
            redirect(&from, &headers).map(|url| url.to_request())
        };
        let error = |from, location| redirect(from, location).unwrap_err().to_string();
        assert_eq!(
            error("https://a/", None),
            "a redirect to \"\" is not followed: it leads nowhere"
        );
        assert_eq!(
            error("https://a/", Some("http://b/c?signature=secret")),
            "a redirect to \"http://b/c\" is not followed: it leads from https to http"
        );
        assert_eq!(
            error("https://a/", Some("file:///etc?signature=secret")),
            "a redirect to \"file:///etc\" is not followed: \
             it leads to no address of https or http"
        );
        assert_eq!(
            redirect("http://a/", Some("https://b/")).unwrap(),
            "https://b/"
        );
    }

    #[test]
    fn certificates_are_not_tried_again() {
        let of = |error: ureq::Error| connection(&error).is_temporary();
        let io = |kind: std::io::ErrorKind| of(ureq::Error::Io(kind.into()));
        assert!(io(std::io::ErrorKind::ConnectionReset));
        assert!(!io(std::io::ErrorKind::InvalidData));
        assert!(of(ureq::Error::HostNotFound));
        assert!(!of(ureq::Error::Tls("no")));
    }
}
