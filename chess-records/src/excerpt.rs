//! What an error quotes of a text, without allocating.

use core::fmt::{self, Write};

/// The beginning of a text that could not be read, as an error quotes it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Excerpt {
    bytes: [u8; Self::MAX_BYTES],
    len: u8,
    cut: bool,
}

impl Excerpt {
    /// The most bytes that are quoted.
    pub const MAX_BYTES: usize = 30;

    pub(crate) fn of(text: &str) -> Self {
        let kept = &text[..text.floor_char_boundary(Self::MAX_BYTES)];
        let mut bytes = [0; Self::MAX_BYTES];
        bytes[..kept.len()].copy_from_slice(kept.as_bytes());
        Self {
            bytes,
            len: kept.len() as u8,
            cut: kept.len() < text.len(),
        }
    }

    /// The text, or its beginning.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // `of` cuts between characters, so this is always UTF-8.
        core::str::from_utf8(&self.bytes[..usize::from(self.len)]).unwrap_or_default()
    }
}

/// In quotation marks, control characters escaped, with an ellipsis where the text was cut.
impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ellipsis = if self.cut { "…" } else { "" };
        f.write_char('"')?;
        write!(f, "{}{ellipsis}", self.as_str().escape_debug())?;
        f.write_char('"')
    }
}

impl fmt::Debug for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(Excerpt::of("").to_string(), "\"\"");
        assert_eq!(Excerpt::of("a\tb\"").to_string(), r#""a\tb\"""#);
        let long = "x".repeat(29) + "éé";
        assert_eq!(Excerpt::of(&long).as_str(), "x".repeat(29));
        assert!(Excerpt::of(&long).to_string().ends_with("x…\""));
        let fits = "x".repeat(30);
        assert_eq!(Excerpt::of(&fits).to_string(), std::format!("\"{fits}\""));
    }
}
