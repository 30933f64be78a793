//! The tags that the builder asks for.

use chess_records::GameResult;

use super::lines::is_space;
use super::{LeftOut, result_of};

/// The values of tags. Of a tag that is there twice the last one counts.
#[derive(Default)]
pub(super) struct Tags<'a> {
    variant: Option<&'a [u8]>,
    has_fen: bool,
    result: Option<&'a [u8]>,
    white_elo: Option<i32>,
    black_elo: Option<i32>,
}

impl<'a> Tags<'a> {
    /// Takes the tag of a line; what is no tag is passed over.
    pub(super) fn read(&mut self, line: &'a [u8]) {
        let Some((name, value)) = tag(line) else {
            return;
        };
        match name {
            b"Variant" => self.variant = Some(value),
            b"FEN" => self.has_fen = true,
            b"Result" => self.result = Some(value),
            b"WhiteElo" => self.white_elo = elo(value),
            b"BlackElo" => self.black_elo = elo(value),
            _ => {}
        }
    }

    /// Whether the game is standard chess from the usual start, and its result not one that leaves
    /// it out.
    pub(super) fn check(&self) -> Result<(), LeftOut> {
        if self.variant.is_some_and(|variant| variant != b"Standard") {
            return Err(LeftOut::Variant);
        }
        if self.has_fen {
            return Err(LeftOut::Start);
        }
        if !self.result_is_open() && self.result(None).is_none() {
            return Err(LeftOut::Result);
        }
        Ok(())
    }

    pub(super) fn elos(&self) -> Option<(i32, i32)> {
        self.white_elo.zip(self.black_elo)
    }

    /// The result, from the movetext if the tag leaves it open.
    pub(super) fn result(&self, in_movetext: Option<&[u8]>) -> Option<GameResult> {
        let tagged = self.result.filter(|_| !self.result_is_open());
        result_of(tagged.or(in_movetext)?)
    }

    fn result_is_open(&self) -> bool {
        self.result.is_none_or(|result| result == b"*")
    }
}

/// `[Name "value"]`. Quotes in the value are as they are written, with their backslashes.
fn tag(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = line.strip_prefix(b"[")?;
    let (name, rest) = rest.split_at(rest.iter().position(|&byte| is_space(byte))?);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_+#=:-".contains(byte);
    if !name.first()?.is_ascii_alphanumeric() || !name.iter().all(is_name) {
        return None;
    }
    let rest = &rest[rest.iter().position(|&byte| !is_space(byte))?..];
    let end = rest.iter().rposition(|&byte| !is_space(byte))? + 1;
    let value = rest[..end].strip_prefix(b"\"")?.strip_suffix(b"\"]")?;
    Some((name, value))
}

/// A whole number. What Lichess writes for players without a rating, `?`, is none.
fn elo(value: &[u8]) -> Option<i32> {
    str::from_utf8(value).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(line: &str) -> Option<&str> {
        tag(line.as_bytes()).map(|(_, value)| str::from_utf8(value).unwrap())
    }

    #[test]
    fn values() {
        assert_eq!(value("[White \"A\"]"), Some("A"));
        assert_eq!(
            value("[White\t \"A \\\"B\\\" \\\\\"]  "),
            Some("A \\\"B\\\" \\\\")
        );
        assert_eq!(value("[White \"\"]"), Some(""));
        assert_eq!(value("[a \"]\"] \"]"), Some("]\"] "));
        for none in [
            "[White \"A\"",
            "[White]",
            "[White \"]",
            "[ \"A\"]",
            "[W*e \"A\"]",
            "[_W \"A\"]",
            "[White A]",
            "[White \"A\" ]",
            "White \"A\"]",
            "[",
            "",
        ] {
            assert_eq!(value(none), None, "{none}");
        }
    }

    #[test]
    fn ratings() {
        for (text, rating) in [
            ("1500", Some(1500)),
            (" +1500 ", Some(1500)),
            ("-5", Some(-5)),
            ("1500?", None),
            ("?", None),
            ("", None),
            ("99999999999", None),
        ] {
            assert_eq!(elo(text.as_bytes()), rating, "{text}");
        }
    }

    #[test]
    fn what_is_left_out() {
        let check = |lines: &[&'static str]| {
            let mut tags = Tags::default();
            lines.iter().for_each(|line| tags.read(line.as_bytes()));
            tags.check()
        };
        assert_eq!(check(&[]), Ok(()));
        assert_eq!(check(&["[Variant \"Standard\"]", "[Result \"*\"]"]), Ok(()));
        assert_eq!(check(&["[Variant \"standard\"]"]), Err(LeftOut::Variant));
        assert_eq!(check(&["[FEN \"\"]"]), Err(LeftOut::Start));
        assert_eq!(check(&["[Result \"?\"]"]), Err(LeftOut::Result));
        assert_eq!(check(&["[Result \"?\"]", "[Result \"0-1\"]"]), Ok(()));
    }
}
