//! Addresses: of requests, of redirects, and as they are shown.

use std::fmt;

use ureq::http::Uri;

/// An absolute address of `http` or `https`, without credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Url {
    https: bool,
    /// Host and port, small letters.
    authority: String,
    /// Path and query, from a slash.
    target: String,
}

/// Why a text is no address that can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum UrlError {
    #[error("expected an address that begins with https:// or http://")]
    NotAbsolute,
    #[error("an address with credentials is not asked")]
    Credentials,
}

impl Url {
    pub(super) fn parse(text: &str) -> Result<Self, UrlError> {
        let uri: Uri = text.parse().map_err(|_| UrlError::NotAbsolute)?;
        let https = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(UrlError::NotAbsolute),
        };
        let authority = uri.authority().ok_or(UrlError::NotAbsolute)?.as_str();
        if authority.contains('@') {
            return Err(UrlError::Credentials);
        }
        let target = uri.path_and_query().map_or("/", |target| target.as_str());
        let slash = if target.starts_with('/') { "" } else { "/" };
        Ok(Self {
            https,
            authority: authority.to_ascii_lowercase(),
            target: format!("{slash}{target}"),
        })
    }

    /// Where a `Location` or a `Link` of an answer from here leads.
    pub(super) fn join(&self, reference: &str) -> Result<Self, UrlError> {
        let scheme = if self.https { "https" } else { "http" };
        let authority = &self.authority;
        let path = self.target.split('?').next().unwrap_or_default();
        let absolute = if reference.contains("://") && !reference.starts_with(['/', '?']) {
            reference.into()
        } else if reference.starts_with("//") {
            format!("{scheme}:{reference}")
        } else if reference.starts_with('/') {
            format!("{scheme}://{authority}{reference}")
        } else if reference.starts_with('?') {
            format!("{scheme}://{authority}{path}{reference}")
        } else {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            format!("{scheme}://{authority}{folder}/{reference}")
        };
        Self::parse(&absolute)
    }

    /// An address below this one; `path` is a part of an address already.
    pub(super) fn below(&self, path: &str) -> Self {
        let folder = self.target.trim_end_matches('/');
        Self {
            target: format!("{folder}/{path}"),
            ..self.clone()
        }
    }

    /// Whether it is the same server, so that it may see the token.
    pub(super) fn is_same_origin(&self, other: &Self) -> bool {
        self.https == other.https && self.host_and_port() == other.host_and_port()
    }

    pub(super) const fn is_https(&self) -> bool {
        self.https
    }

    fn host_and_port(&self) -> (&str, &str) {
        let usual = if self.https { "443" } else { "80" };
        match self.authority.rsplit_once(':') {
            // Not within an IPv6 address, `[::1]`.
            Some((host, port)) if !port.ends_with(']') => (host, port),
            _ => (&self.authority, usual),
        }
    }

    /// Whether the server is this machine, to which no proxy leads.
    pub(super) fn is_loopback(&self) -> bool {
        let (host, _) = self.host_and_port();
        host == "localhost" || host == "[::1]" || host.starts_with("127.")
    }

    /// The whole address, for requests.
    pub(super) fn to_request(&self) -> String {
        let scheme = if self.https { "https" } else { "http" };
        format!("{scheme}://{}{}", self.authority, self.target)
    }
}

/// Without the query, in which redirects carry signatures.
impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = self.to_request();
        f.write_str(whole.split('?').next().unwrap_or_default())
    }
}

/// A path with slashes as a part of an address.
pub(super) fn encode_path(path: &str) -> String {
    encode(path, true)
}

/// A name as a part of an address, with slashes as a part of the name.
pub(super) fn encode_name(name: &str) -> String {
    encode(name, false)
}

fn encode(text: &str, keep_slash: bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            b'/' if keep_slash => encoded.push('/'),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn references_are_resolved() {
        let base = url("https://Hub.example:8443/a/b?c=1");
        for (reference, expected) in [
            ("/x/y?z=/", "https://hub.example:8443/x/y?z=/"),
            (
                "//cdn.example/f?u=http://h",
                "https://cdn.example/f?u=http://h",
            ),
            ("http://cdn.example", "http://cdn.example/"),
            ("x", "https://hub.example:8443/a/x"),
            ("?c=2", "https://hub.example:8443/a/b?c=2"),
            ("/f?u=http://h", "https://hub.example:8443/f?u=http://h"),
        ] {
            assert_eq!(base.join(reference).unwrap().to_request(), expected);
        }
        assert_eq!(base.join("ftp://x/y"), Err(UrlError::NotAbsolute));
        assert_eq!(base.join("https://a:b@x/y"), Err(UrlError::Credentials));
        assert_eq!(base.join("/é \r\nX: y"), Err(UrlError::NotAbsolute));
        assert_eq!(base.to_string(), "https://hub.example:8443/a/b");
        let below = |base| url(base).below("x/y?z").to_request();
        assert_eq!(below("https://h"), "https://h/x/y?z");
        assert_eq!(below("https://h/sub"), "https://h/sub/x/y?z");
    }

    #[test]
    fn origins() {
        let same = |a, b| url(a).is_same_origin(&url(b));
        assert!(same("https://a/x", "https://A:443/y"));
        assert!(same("http://[::1]/x", "http://[::1]:80/"));
        assert!(!same("https://a/", "http://a/"));
        assert!(!same("https://a/", "https://a:444/"));
        assert!(!same("https://a/", "https://a.b/"));
        for text in [
            "http://127.0.0.1:80",
            "http://localhost/",
            "http://[::1]:7/",
        ] {
            assert!(url(text).is_loopback(), "{text}");
        }
        assert!(!url("http://localhost.example/").is_loopback());
    }

    #[test]
    fn what_is_no_address() {
        let error = |text| Url::parse(text).unwrap_err().to_string();
        let absolute = "expected an address that begins with https:// or http://";
        for text in [
            "",
            "hub.example",
            "/a",
            "file:///a",
            "https://",
            "https:// a",
        ] {
            assert_eq!(error(text), absolute, "{text}");
        }
        assert_eq!(
            error("https://t@a/"),
            "an address with credentials is not asked"
        );
    }

    #[test]
    fn parts_are_encoded() {
        assert_eq!(encode_path("year=2025/a b.é"), "year%3D2025/a%20b.%C3%A9");
        assert_eq!(encode_name("refs/pr/1"), "refs%2Fpr%2F1");
    }
}
