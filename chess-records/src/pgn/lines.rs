//! Lines of PGN, and where games begin and end among them.

use memchr::{memchr, memchr2};

/// The next line, without its end, and how many bytes it takes with it. `None` if the text may go on
/// after it, unless this is the `last` text.
///
/// Lines end with LF, CR LF or CR.
pub(super) fn next_line(text: &[u8], last: bool) -> Option<(&[u8], usize)> {
    let Some(end) = memchr2(b'\n', b'\r', text) else {
        return (last && !text.is_empty()).then_some((text, text.len()));
    };
    let line = &text[..end];
    match (text[end], text.get(end + 1)) {
        (b'\r', Some(b'\n')) => Some((line, end + 2)),
        (b'\r', None) if !last => None,
        _ => Some((line, end + 1)),
    }
}

/// What a line is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    /// Blank, or a comment of a whole line.
    Nothing,
    /// A tag, or what was meant to be one.
    Tag,
    /// Movetext, or a comment in it.
    Movetext,
    /// The blank line that ends a game.
    End,
}

#[derive(Clone, Copy, Debug)]
enum Section {
    BeforeGame { first_line: bool },
    Tags { blank_line: bool },
    Movetext { in_comment: bool },
}

/// Follows lines from game to game, by the rules of python-chess, the reference's reader: tags may be
/// apart by one blank line, and a blank line outside of comments ends the movetext.
#[derive(Clone, Debug)]
pub(super) struct Sections(Section);

impl Sections {
    pub(super) const fn new() -> Self {
        Self(Section::BeforeGame { first_line: true })
    }

    /// Whether a game has begun.
    pub(super) const fn in_game(&self) -> bool {
        !matches!(self.0, Section::BeforeGame { .. })
    }

    pub(super) fn next(&mut self, line: &[u8]) -> LineKind {
        match self.0 {
            Section::BeforeGame { first_line } => self.before_game(line, first_line),
            Section::Tags { blank_line } => self.tags(line, blank_line),
            Section::Movetext { in_comment } => self.movetext(line, in_comment),
        }
    }

    fn before_game(&mut self, line: &[u8], first_line: bool) -> LineKind {
        let line = if first_line { without_bom(line) } else { line };
        if is_blank(line) || is_comment(line) {
            self.0 = Section::BeforeGame { first_line: false };
            return LineKind::Nothing;
        }
        self.tags(line, false)
    }

    fn tags(&mut self, line: &[u8], blank_line: bool) -> LineKind {
        self.0 = Section::Tags { blank_line };
        if is_comment(line) {
            return LineKind::Nothing;
        }
        if is_blank(line) && !blank_line {
            self.0 = Section::Tags { blank_line: true };
            return LineKind::Nothing;
        }
        if line.first() == Some(&b'[') {
            self.0 = Section::Tags { blank_line: false };
            return LineKind::Tag;
        }
        self.movetext(line, false)
    }

    fn movetext(&mut self, line: &[u8], mut in_comment: bool) -> LineKind {
        if !in_comment {
            if is_blank(line) {
                *self = Self::new();
                return LineKind::End;
            }
            if is_comment(line) {
                self.0 = Section::Movetext { in_comment };
                return LineKind::Nothing;
            }
        }
        in_comment = ends_in_comment(line, in_comment);
        self.0 = Section::Movetext { in_comment };
        LineKind::Movetext
    }
}

/// The lines of a game that are for tags.
#[derive(Clone, Debug)]
pub(super) struct TagLines<'a> {
    text: &'a [u8],
    sections: Sections,
    begun: bool,
}

impl<'a> TagLines<'a> {
    pub(super) const fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            sections: Sections::new(),
            begun: false,
        }
    }

    /// What was not looked at: the movetext, when there are no more lines of tags.
    pub(super) const fn rest(&self) -> &'a [u8] {
        self.text
    }
}

impl<'a> Iterator for TagLines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            let (line, len) = next_line(self.text, true)?;
            let line = if self.begun { line } else { without_bom(line) };
            let kind = self.sections.next(line);
            if matches!(kind, LineKind::Movetext | LineKind::End) {
                return None;
            }
            self.begun = true;
            self.text = &self.text[len..];
            if kind == LineKind::Tag {
                return Some(line);
            }
        }
    }
}

/// The line without byte order marks: files that were put together have some between games.
fn without_bom(mut line: &[u8]) -> &[u8] {
    while let Some(rest) = line.strip_prefix("\u{feff}".as_bytes()) {
        line = rest;
    }
    line
}

/// A line that is a comment as a whole.
pub(super) fn is_comment(line: &[u8]) -> bool {
    matches!(line.first(), Some(b'%' | b';'))
}

fn is_blank(line: &[u8]) -> bool {
    let is_space_byte = |&byte: &u8| is_space(char::from(byte));
    if line.is_ascii() {
        return line.iter().all(is_space_byte);
    }
    let mut chunks = line.utf8_chunks();
    chunks.all(|chunk| chunk.invalid().is_empty() && chunk.valid().chars().all(is_space))
}

/// White space as Python has it, the separators of ASCII among it.
pub(super) fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)
}

fn ends_in_comment(mut line: &[u8], mut in_comment: bool) -> bool {
    loop {
        let found = if in_comment {
            memchr(b'}', line)
        } else {
            // What follows a semicolon is a comment to the end of the line.
            memchr2(b'{', b';', line).filter(|&at| line[at] == b'{')
        };
        let Some(at) = found else {
            return in_comment;
        };
        in_comment = !in_comment;
        line = &line[at + 1..];
    }
}

#[cfg(test)]
mod tests {
    use std::string::String;
    use std::vec::Vec;

    use super::*;

    fn lines(mut text: &[u8], last: bool) -> Vec<&str> {
        let mut lines = Vec::new();
        while let Some((line, len)) = next_line(text, last) {
            lines.push(str::from_utf8(line).unwrap());
            text = &text[len..];
        }
        lines
    }

    #[test]
    fn ends_of_lines() {
        assert_eq!(
            lines(b"a\nb\r\n\rc\n\nd", true),
            ["a", "b", "", "c", "", "d"]
        );
        assert_eq!(lines(b"a\nb", false), ["a"]);
        assert_eq!(lines(b"a\r", false), [""; 0]);
        assert_eq!(lines(b"a\r", true), ["a"]);
        assert_eq!(lines(b"", true), [""; 0]);
    }

    fn kinds(text: &str) -> String {
        let mut sections = Sections::new();
        let kind = |line: &str| match sections.next(line.as_bytes()) {
            LineKind::Nothing => '.',
            LineKind::Tag => 't',
            LineKind::Movetext => 'm',
            LineKind::End => '|',
        };
        text.split('\n').map(kind).collect()
    }

    #[test]
    fn games_among_lines() {
        assert_eq!(kinds("[A]\n[B]\n\n1. e4\ne5\n\n[A]\n\n1-0\n"), "tt.mm|t.m|");
        // One blank line between tags, but not two.
        assert_eq!(kinds("[A]\n\n[B]\n\n\ne4\n\n"), "t.t.|m|.");
        assert_eq!(
            kinds("%\n \n;\n[A]\n%\n\n;x\ne4\n;\n%\ne5\n\n\n"),
            "...t...m..m|.."
        );
        // A tag in movetext is movetext.
        assert_eq!(kinds("e4\n[A]\n\n[A]"), "mm|t");
        assert_eq!(
            kinds("\u{feff}[A]\n\n\n\u{feff}\u{feff}[A]\n\u{feff}[B]"),
            "t.|tm"
        );
        assert_eq!(kinds("\n\u{feff}[A]"), ".m", "only where a game may begin");
        assert_eq!(kinds("e4\n\u{a0}\u{1c}\u{2003}\ne5\n\u{a0}x"), "m|mm");
    }

    #[test]
    fn comments_hide_blank_lines() {
        assert_eq!(kinds("e4 {a\n\n[A]\n} e5\n\ne4"), "mmmm|m");
        assert_eq!(
            kinds("e4 {a}{b\n\n}\n\n"),
            "mmm||".replace("||", "|.").as_str()
        );
        assert_eq!(kinds("e4 ; {\n\n[A]"), "m|t");
        assert_eq!(kinds("e4 { ; }\n\n[A]"), "m|t");
        assert_eq!(kinds("e4 } {}\n\n"), "m|.");
        assert_eq!(kinds("e4 {\n%\n;}\n\n"), "mmm|.");
    }
}
