//! Movetext as the tokens that python-chess, the reference's reader, finds in it: what is no token is
//! passed over, so that `12.Nf3+` is a move.

use shakmaty::{CastlingSide, File, Rank, Role, Square};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Move(San),
    Castling(CastlingSide),
    /// `--` and its like.
    NullMove,
    /// `@e4`: putting a piece, as in Crazyhouse.
    Drop,
    /// `{`, a comment to the next `}`.
    CommentStart,
    /// `;`, a comment to the end of the line.
    LineComment,
    VariationStart,
    VariationEnd,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    Result(&'a [u8]),
    /// `$1`, `!?`.
    Annotation,
}

/// A move as it is written, the square it goes to and what else is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct San {
    pub(super) piece: Option<Role>,
    pub(super) from_file: Option<File>,
    pub(super) from_rank: Option<Rank>,
    pub(super) to: Square,
    pub(super) promotion: Option<Role>,
}

const RESULTS: [&[u8]; 4] = [b"*", b"1-0", b"0-1", b"1/2-1/2"];
const NULL_MOVES: [&[u8]; 3] = [b"--", b"Z0", b"0000"];

/// The first token and what follows it.
pub(super) fn next_token(mut text: &[u8]) -> Option<(Token<'_>, &[u8])> {
    while let Some(&first) = text.first() {
        if let Some((token, len)) = token_at(first, text) {
            return Some((token, &text[len..]));
        }
        text = &text[1..];
    }
    None
}

/// The token that begins with the first byte, and its length.
fn token_at(first: u8, text: &[u8]) -> Option<(Token<'_>, usize)> {
    let single = |token| Some((token, 1));
    match first {
        b' ' | b'.' | b'+' => None,
        b'a'..=b'h' | b'N' | b'B' | b'K' | b'R' | b'Q' | b'x' => move_or_drop(text),
        b'P' | b'@' => drop(text),
        b'O' => castling(text, b'O'),
        b'{' => single(Token::CommentStart),
        b';' => single(Token::LineComment),
        b'(' => single(Token::VariationStart),
        b')' => single(Token::VariationEnd),
        b'$' => annotation(text, u8::is_ascii_digit, usize::MAX).filter(|&(_, len)| len > 1),
        b'?' | b'!' => annotation(text, |byte| matches!(byte, b'?' | b'!'), 2),
        b'0'..=b'9' | b'-' | b'*' | b'Z' => move_or_drop(text)
            .or_else(|| null_move(text))
            .or_else(|| castling(text, b'0'))
            .or_else(|| result(text)),
        _ => None,
    }
}

fn annotation(
    text: &[u8],
    goes_on: impl Fn(&u8) -> bool,
    most: usize,
) -> Option<(Token<'_>, usize)> {
    let rest = text[1..].iter().take(most - 1);
    Some((
        Token::Annotation,
        1 + rest.take_while(|byte| goes_on(byte)).count(),
    ))
}

fn null_move(text: &[u8]) -> Option<(Token<'_>, usize)> {
    let found = NULL_MOVES.iter().find(|null| text.starts_with(null))?;
    Some((Token::NullMove, found.len()))
}

fn result(text: &[u8]) -> Option<(Token<'_>, usize)> {
    let found = RESULTS.iter().find(|result| text.starts_with(result))?;
    Some((Token::Result(found), found.len()))
}

fn castling(text: &[u8], letter: u8) -> Option<(Token<'_>, usize)> {
    let step = [b'-', letter];
    let rest = text.strip_prefix(&[letter])?.strip_prefix(&step)?;
    if rest.starts_with(&step) {
        Some((Token::Castling(CastlingSide::QueenSide), 5))
    } else {
        Some((Token::Castling(CastlingSide::KingSide), 3))
    }
}

/// `@e4`, `N@e4`; and `@@@@`, which is a null move.
fn drop(text: &[u8]) -> Option<(Token<'_>, usize)> {
    if text.starts_with(b"@@@@") {
        return Some((Token::NullMove, 4));
    }
    let piece = usize::from(text.first() != Some(&b'@'));
    let target = text.get(piece..)?.strip_prefix(b"@")?;
    square(target)?;
    Some((Token::Drop, piece + 3))
}

fn move_or_drop(text: &[u8]) -> Option<(Token<'_>, usize)> {
    if let Some((san, len)) = san(text) {
        return Some((Token::Move(san), len));
    }
    let first = text.first()?;
    if first.is_ascii_uppercase() && *first != b'Z' {
        drop(text)
    } else {
        None
    }
}

/// `[NBKRQ]?[a-h]?[1-8]?[-x]?[a-h][1-8](=?[nbrqkNBRQK])?`, as much as possible of each in turn.
fn san(text: &[u8]) -> Option<(San, usize)> {
    let piece = text.first().and_then(|&byte| piece_letter(byte));
    let start = usize::from(piece.is_some());
    let rest = &text[start..];
    // What stands before the target: a file, a rank, a sign, each or none of them.
    let file = rest.first().and_then(|&byte| file(byte));
    let tries = [file, None];
    let tries = if file.is_some() {
        &tries[..]
    } else {
        &tries[1..]
    };
    let (from_file, from_rank, len) = tries.iter().find_map(|&from_file| {
        let len = usize::from(from_file.is_some());
        let (from_rank, len) = rank_and_sign(rest, len)?;
        Some((from_file, from_rank, len))
    })?;
    let to = square(&rest[len..])?;
    let end = start + len + 2;
    let (promotion, promotion_len) = promotion(&text[end..]);
    let san = San {
        piece,
        from_file,
        from_rank,
        to,
        promotion,
    };
    Some((san, end + promotion_len))
}

/// An optional rank and an optional sign from `len` on, so that a square follows.
fn rank_and_sign(rest: &[u8], mut len: usize) -> Option<(Option<Rank>, usize)> {
    let rank = rest.get(len).and_then(|&byte| rank(byte));
    len += usize::from(rank.is_some());
    len += usize::from(matches!(rest.get(len), Some(b'-' | b'x')));
    square(rest.get(len..)?)?;
    Some((rank, len))
}

fn promotion(text: &[u8]) -> (Option<Role>, usize) {
    let sign = usize::from(text.first() == Some(&b'='));
    let letter = text.get(sign).map(u8::to_ascii_uppercase);
    match letter.and_then(piece_letter) {
        Some(role) => (Some(role), sign + 1),
        None => (None, 0),
    }
}

const fn piece_letter(byte: u8) -> Option<Role> {
    match byte {
        b'N' => Some(Role::Knight),
        b'B' => Some(Role::Bishop),
        b'R' => Some(Role::Rook),
        b'Q' => Some(Role::Queen),
        b'K' => Some(Role::King),
        _ => None,
    }
}

fn file(byte: u8) -> Option<File> {
    matches!(byte, b'a'..=b'h').then(|| File::new(u32::from(byte - b'a')))
}

fn rank(byte: u8) -> Option<Rank> {
    matches!(byte, b'1'..=b'8').then(|| Rank::new(u32::from(byte - b'1')))
}

fn square(text: &[u8]) -> Option<Square> {
    let &[first, second, ..] = text else {
        return None;
    };
    Some(Square::from_coords(file(first)?, rank(second)?))
}

#[cfg(test)]
mod tests {
    use std::format;
    use std::string::{String, ToString};
    use std::vec::Vec;

    use super::*;

    fn shown(token: Token<'_>) -> String {
        match token {
            Token::Move(san) => {
                let piece = san
                    .piece
                    .map_or(String::new(), |role| role.upper_char().into());
                let file = san.from_file.map_or(String::new(), |file| file.to_string());
                let rank = san.from_rank.map_or(String::new(), |rank| rank.to_string());
                let made = san
                    .promotion
                    .map_or(String::new(), |role| format!("={}", role.char()));
                format!("{piece}{file}{rank}>{}{made}", san.to)
            }
            Token::Result(result) => String::from_utf8_lossy(result).into(),
            other => format!("{other:?}"),
        }
    }

    fn tokens(text: &str) -> String {
        let mut rest = text.as_bytes();
        let mut tokens = Vec::new();
        while let Some((token, after)) = next_token(rest) {
            tokens.push(shown(token));
            rest = after;
        }
        tokens.join(" ")
    }

    #[test]
    fn moves() {
        assert_eq!(
            tokens("12.e4 12...Nf6+ Nbxd7# R1a3"),
            ">e4 N>f6 Nb>d7 R1>a3"
        );
        assert_eq!(
            tokens("Qh4xe1 e2-e4 e2e4 bxc3 Bxc3"),
            "Qh4>e1 e2>e4 e2>e4 b>c3 B>c3"
        );
        assert_eq!(
            tokens("e8=Q e8q exd8N fxg1=b e8=K"),
            ">e8=q >e8=q e>d8=n f>g1=b >e8=k"
        );
        assert_eq!(
            tokens("Pe4 exd6e.p. xe4 1-e4 1e4"),
            ">e4 e>d6 >e4 1>e4 1>e4"
        );
        assert_eq!(
            tokens("e4Nf6"),
            ">e4=n >f6",
            "what follows is taken for a promotion"
        );
        assert_eq!(tokens("abc4 e9 ab4 a4b"), "b>c4 a>b4 >a4=b");
        assert_eq!(tokens("N Nf Ng i4 e"), "");
    }

    #[test]
    fn castling_and_null_moves() {
        assert_eq!(tokens("O-O+"), "Castling(KingSide)");
        assert_eq!(
            tokens("0-0-0 O-O-O# O-0"),
            "Castling(QueenSide) Castling(QueenSide)"
        );
        assert_eq!(
            tokens("-- Z0 0000 @@@@"),
            "NullMove NullMove NullMove NullMove"
        );
        assert_eq!(tokens("@e4 N@e4 P@e4 Z@e4 @e9"), "Drop Drop Drop Drop");
    }

    #[test]
    fn results_and_annotations() {
        assert_eq!(tokens("1-0 0-1 1/2-1/2 * 1/2"), "1-0 0-1 1/2-1/2 *");
        assert_eq!(tokens("11-0 10-0"), "1-0 Castling(KingSide)");
        assert_eq!(
            tokens("e4!? e5$12 $ e4???"),
            ">e4 Annotation >e5 Annotation >e4 Annotation Annotation"
        );
        assert_eq!(
            tokens("({;)"),
            "VariationStart CommentStart LineComment VariationEnd"
        );
        assert_eq!(tokens("\u{e9}\u{2192}e4\0"), ">e4");
    }
}
