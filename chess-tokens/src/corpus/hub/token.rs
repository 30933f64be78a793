//! As whom the hub is asked.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::path::PathBuf;

use super::builder::HubConfigError;

/// Where the token is from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TokenSource {
    /// It was given to the builder.
    Given,
    /// The environment variable `HF_TOKEN`.
    Environment,
    /// The hub's own token file.
    File(PathBuf),
    /// There is none: the hub is asked anonymously, which it limits more.
    Anonymous,
}

impl fmt::Display for TokenSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given => f.write_str("with the token that was given"),
            Self::Environment => f.write_str("with the token of HF_TOKEN"),
            Self::File(path) => write!(f, "with the token of {}", path.display()),
            Self::Anonymous => f.write_str("without a token"),
        }
    }
}

/// A token, never shown.
#[derive(Clone)]
pub(super) struct Token(String);

impl Token {
    /// # Errors
    ///
    /// When it has characters that no header can carry.
    pub(super) fn new(text: &str, source: &TokenSource) -> Result<Self, HubConfigError> {
        let text = text.trim();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            let from = source.to_string();
            return Err(HubConfigError::Token { from });
        }
        Ok(Self(text.into()))
    }

    pub(super) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// A text of the server without the token.
    pub(super) fn hidden_in(&self, text: &str) -> String {
        text.replace(&self.0, "…")
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// The token of the environment, else that of the hub's token file, else none.
pub(super) fn find(
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Result<(Option<Token>, TokenSource), HubConfigError> {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    if let Some(value) = set("HF_TOKEN") {
        let source = TokenSource::Environment;
        // What is no text has characters that are not allowed either.
        let token = Token::new(&value.to_string_lossy(), &source)?;
        return Ok((Some(token), source));
    }
    let home = || {
        let cache = set("XDG_CACHE_HOME").map(PathBuf::from);
        let home = || set("HOME").or_else(|| set("USERPROFILE"));
        let cache = cache.or_else(|| Some(PathBuf::from(home()?).join(".cache")))?;
        Some(cache.join("huggingface"))
    };
    let Some(folder) = set("HF_HOME").map(PathBuf::from).or_else(home) else {
        return Ok((None, TokenSource::Anonymous));
    };
    let path = folder.join("token");
    match fs::read_to_string(&path) {
        Ok(text) if text.trim().is_empty() => Ok((None, TokenSource::Anonymous)),
        Ok(text) => {
            let source = TokenSource::File(path);
            Ok((Some(Token::new(&text, &source)?), source))
        }
        Err(error) if is_missing(&error) => Ok((None, TokenSource::Anonymous)),
        Err(source) => Err(HubConfigError::TokenFile { path, source }),
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(variables: &[(&str, &str)]) -> Result<(Option<String>, TokenSource), HubConfigError> {
        let variable = |name: &str| {
            let pair = variables.iter().find(|(key, _)| *key == name);
            pair.map(|(_, value)| OsString::from(value))
        };
        let (token, source) = find(&variable)?;
        Ok((token.map(|token| token.header()), source))
    }

    #[test]
    fn sources_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        let hub = home.join(".cache").join("huggingface");
        fs::create_dir_all(&hub).unwrap();
        fs::write(hub.join("token"), "of-home\n").unwrap();
        let other = folder.path().join("other");
        fs::create_dir_all(other.join("huggingface")).unwrap();
        fs::write(other.join("token"), "of-hf-home").unwrap();
        fs::write(other.join("huggingface").join("token"), "of-cache").unwrap();
        let (home, other) = (home.to_str().unwrap(), other.to_str().unwrap());

        let all = [("HF_TOKEN", " of-env "), ("HF_HOME", other), ("HOME", home)];
        let (token, source) = found(&all).unwrap();
        assert_eq!(token.as_deref(), Some("Bearer of-env"));
        assert_eq!(source.to_string(), "with the token of HF_TOKEN");
        let no_token = [("HF_TOKEN", ""), ("HF_HOME", other), ("HOME", home)];
        let (token, source) = found(&no_token).unwrap();
        assert_eq!(token.as_deref(), Some("Bearer of-hf-home"));
        let path = PathBuf::from(other).join("token");
        assert_eq!(
            source.to_string(),
            format!("with the token of {}", path.display())
        );
        let cache = [("XDG_CACHE_HOME", other), ("HOME", home)];
        assert_eq!(found(&cache).unwrap().0.as_deref(), Some("Bearer of-cache"));
        let home = [("HOME", home)];
        assert_eq!(found(&home).unwrap().0.as_deref(), Some("Bearer of-home"));
    }

    #[test]
    fn without_any_token() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_str().unwrap();
        assert_eq!(found(&[]).unwrap(), (None, TokenSource::Anonymous));
        let nowhere = [("HF_HOME", home)];
        assert_eq!(found(&nowhere).unwrap(), (None, TokenSource::Anonymous));
        fs::write(folder.path().join("token"), " \n").unwrap();
        assert_eq!(found(&nowhere).unwrap(), (None, TokenSource::Anonymous));
        assert_eq!(TokenSource::Anonymous.to_string(), "without a token");
    }

    #[test]
    fn tokens_are_never_shown() {
        let error = found(&[("HF_TOKEN", "sec\nret")]).unwrap_err().to_string();
        assert_eq!(
            error,
            "with the token of HF_TOKEN: it has characters that no header can carry"
        );
        let token = Token::new("secret", &TokenSource::Given).unwrap();
        assert_eq!(format!("{token:?}"), "Token(…)");
        assert_eq!(
            token.hidden_in("Bearer secret is wrong"),
            "Bearer … is wrong"
        );
        assert_eq!(
            TokenSource::Given.to_string(),
            "with the token that was given"
        );
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("token")).unwrap();
        let error = found(&[("HF_HOME", folder.path().to_str().unwrap())]).unwrap_err();
        assert!(
            error.to_string().ends_with("token: cannot be read"),
            "{error}"
        );
    }
}
