//! The 2,030 tokens of the `uci` scheme.
//!
//! | ids | tokens |
//! |---|---|
//! | 0–7 | `<pad>` `<bos>` `<eos>` `<mask>` `<unk>` `<1-0>` `<0-1>` `<1/2>` |
//! | 8–34 | White's rating, `<w0600>` to `<w3200>` in bands of 100 |
//! | 35–61 | Black's, `<b0600>` to `<b3200>` |
//! | 62–1853 | from and to, as far as a queen or knight goes on the empty board; squares file by file (a1 a2 … a8 b1 …), the from square outer |
//! | 1854–2029 | promotions: of White, then of Black, by from file, to file and q r b n |
//!
//! All of it is made by the compiler.

use chess_records::{GameResult, PieceType, Square, UciMove};

const MIN_ELO: u16 = UciToken::MIN_ELO;
const MAX_ELO: u16 = UciToken::MAX_ELO;
const ELO_STEP: u16 = UciToken::ELO_STEP;

/// How many tokens there are.
pub(super) const VOCAB_SIZE: usize = 2030;
/// The names that come first.
pub(super) const SPECIALS: [&str; 8] = [
    "<pad>", "<bos>", "<eos>", "<mask>", "<unk>", "<1-0>", "<0-1>", "<1/2>",
];

pub(super) const UNK: u16 = 4;
const BANDS: u16 = UciToken::ELO_BANDS;
const WHITE_ELOS: u16 = SPECIALS.len() as u16;
const BLACK_ELOS: u16 = WHITE_ELOS + BANDS;
const MOVES: u16 = BLACK_ELOS + BANDS;
const PLAIN_MOVES: u16 = 1792;
const PROMOTIONS: u16 = MOVES + PLAIN_MOVES;

/// What a token of the `uci` scheme stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_enums)] // The vocabulary is fixed.
pub enum UciToken {
    /// `<pad>`: nothing.
    Pad,
    /// `<bos>`: a game begins.
    Bos,
    /// `<eos>`: a game ends.
    Eos,
    /// `<mask>`: what is to be guessed.
    Mask,
    /// `<unk>`: a move that no queen, knight or promoting pawn makes.
    Unk,
    /// `<1-0>`, `<0-1>` or `<1/2>`.
    Result(GameResult),
    /// White's rating: the lower bound of its band, 600, 700, … or 3200. The lowest band holds all
    /// below too, the highest all above.
    WhiteElo(u16),
    /// Black's rating, likewise.
    BlackElo(u16),
    /// A move.
    Move(UciMove),
}

impl UciToken {
    /// How many there are.
    pub const COUNT: usize = VOCAB_SIZE;
    /// The lowest band of ratings.
    pub const MIN_ELO: u16 = 600;
    /// The highest band of ratings.
    pub const MAX_ELO: u16 = 3200;
    /// How wide a band of ratings is.
    pub const ELO_STEP: u16 = 100;
    /// How many bands of ratings a side has.
    pub const ELO_BANDS: u16 = (Self::MAX_ELO - Self::MIN_ELO) / Self::ELO_STEP + 1;

    /// What a token stands for, if it is under 2,030.
    #[must_use]
    pub const fn from_id(id: u16) -> Option<Self> {
        if (id as usize) < VOCAB_SIZE {
            Some(TOKENS[id as usize])
        } else {
            None
        }
    }

    /// The token, if there is one: not for a move that no queen, knight or promoting pawn makes, nor
    /// for a rating that is no band's lower bound.
    #[must_use]
    pub const fn id(self) -> Option<u16> {
        match self {
            Self::Pad => Some(0),
            Self::Bos => Some(1),
            Self::Eos => Some(2),
            Self::Mask => Some(3),
            Self::Unk => Some(UNK),
            Self::Result(result) => Some(result_id(result)),
            Self::WhiteElo(elo) => band_id(WHITE_ELOS, elo),
            Self::BlackElo(elo) => band_id(BLACK_ELOS, elo),
            Self::Move(played) => match move_id(played) {
                UNK => None,
                id => Some(id),
            },
        }
    }

    /// The token of White's rating, whatever it is.
    #[must_use]
    pub fn white_elo(elo: i32) -> Self {
        Self::WhiteElo(band(elo))
    }

    /// The token of Black's rating, whatever it is.
    #[must_use]
    pub fn black_elo(elo: i32) -> Self {
        Self::BlackElo(band(elo))
    }

    /// The name, as the vocabulary's file has it; `<unk>` for what [`id`](Self::id) has no token for.
    #[must_use]
    pub fn name(self) -> &'static str {
        name(self.id().unwrap_or(UNK)).unwrap_or_default()
    }

    /// What a name stands for, if it is in the vocabulary.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        if let Some(id) = SPECIALS.iter().position(|&special| special == name) {
            return Some(TOKENS[id]);
        }
        let found = match name.as_bytes() {
            [b'<', b'w', elo @ .., b'>'] => Self::WhiteElo(four_digits(elo)?),
            [b'<', b'b', elo @ .., b'>'] => Self::BlackElo(four_digits(elo)?),
            text => Self::Move(UciMove::from_ascii(text).ok()?),
        };
        found.id().map(|_| found)
    }
}

fn four_digits(text: &[u8]) -> Option<u16> {
    if text.len() != 4 {
        return None;
    }
    let mut digits = text.iter().map(|digit| digit.wrapping_sub(b'0'));
    digits.try_fold(0, |number, digit| {
        (digit < 10).then(|| number * 10 + u16::from(digit))
    })
}

/// The lower bound of a rating's band.
fn band(elo: i32) -> u16 {
    let (least, most) = (i32::from(MIN_ELO), i32::from(MAX_ELO + ELO_STEP - 1));
    elo.clamp(least, most) as u16 / ELO_STEP * ELO_STEP
}

const fn band_id(first: u16, elo: u16) -> Option<u16> {
    if elo < MIN_ELO || elo > MAX_ELO || !elo.is_multiple_of(ELO_STEP) {
        return None;
    }
    Some(first + (elo - MIN_ELO) / ELO_STEP)
}

/// The token of White's rating.
pub(super) fn white_elo_id(elo: i32) -> u16 {
    WHITE_ELOS + (band(elo) - MIN_ELO) / ELO_STEP
}

/// The token of Black's rating.
pub(super) fn black_elo_id(elo: i32) -> u16 {
    BLACK_ELOS + (band(elo) - MIN_ELO) / ELO_STEP
}

/// The token of a result.
pub(super) const fn result_id(result: GameResult) -> u16 {
    match result {
        GameResult::WhiteWon => 5,
        GameResult::BlackWon => 6,
        GameResult::Draw => 7,
    }
}

/// The token of a move; [`UNK`] if there is none.
#[inline]
pub(super) const fn move_id(played: UciMove) -> u16 {
    let way = played.from.index() << 6 | played.to.index();
    let order = match played.promotion {
        None => return PLAIN_IDS[way],
        Some(PieceType::Queen) => 0,
        Some(PieceType::Rook) => 1,
        Some(PieceType::Bishop) => 2,
        Some(PieceType::Knight) => 3,
        Some(PieceType::Pawn | PieceType::King) => return UNK,
    };
    match PROMOTION_IDS[way] {
        UNK => UNK,
        to_queen => to_queen + order,
    }
}

/// A token's name.
pub(super) fn name(id: u16) -> Option<&'static str> {
    NAMES.get(usize::from(id))?.as_str()
}

/// The token of each move that is no promotion, by from square times 64 and to square.
static PLAIN_IDS: [u16; 4096] = {
    let mut ids = [UNK; 4096];
    let mut id = MOVES;
    while id < PROMOTIONS {
        if let UciToken::Move(UciMove { from, to, .. }) = TOKENS[id as usize] {
            ids[from.index() << 6 | to.index()] = id;
        }
        id += 1;
    }
    ids
};

/// The token of each promotion to a queen, likewise; those to rook, bishop and knight follow it.
static PROMOTION_IDS: [u16; 4096] = {
    let mut ids = [UNK; 4096];
    let mut id = PROMOTIONS;
    while id < VOCAB_SIZE as u16 {
        if let UciToken::Move(UciMove { from, to, .. }) = TOKENS[id as usize] {
            ids[from.index() << 6 | to.index()] = id;
        }
        id += PROMOTED.len() as u16;
    }
    ids
};

/// What a pawn becomes, in the order of the tokens.
const PROMOTED: [PieceType; 4] = [
    PieceType::Queen,
    PieceType::Rook,
    PieceType::Bishop,
    PieceType::Knight,
];

static TOKENS: [UciToken; VOCAB_SIZE] = {
    let mut tokens = [UciToken::Pad; VOCAB_SIZE];
    tokens[1] = UciToken::Bos;
    tokens[2] = UciToken::Eos;
    tokens[3] = UciToken::Mask;
    tokens[4] = UciToken::Unk;
    tokens[5] = UciToken::Result(GameResult::WhiteWon);
    tokens[6] = UciToken::Result(GameResult::BlackWon);
    tokens[7] = UciToken::Result(GameResult::Draw);
    let mut number = 0;
    while number < BANDS {
        let elo = MIN_ELO + number * ELO_STEP;
        tokens[(WHITE_ELOS + number) as usize] = UciToken::WhiteElo(elo);
        tokens[(BLACK_ELOS + number) as usize] = UciToken::BlackElo(elo);
        number += 1;
    }
    let tokens = with_plain_moves(tokens);
    with_promotions(tokens)
};

/// The square with this number when they are counted file by file.
const fn by_file(number: u8) -> Square {
    match Square::at(number / 8, number % 8) {
        Some(square) => square,
        None => panic!("there are 64 squares"), // The compiler would say so.
    }
}

const fn queen_or_knight(from: Square, to: Square) -> bool {
    let files = from.file().abs_diff(to.file());
    let ranks = from.rank().abs_diff(to.rank());
    let queen = files == 0 || ranks == 0 || files == ranks;
    let knight = files + ranks == 3;
    (queen || knight) && files + ranks > 0
}

const fn with_plain_moves(mut tokens: [UciToken; VOCAB_SIZE]) -> [UciToken; VOCAB_SIZE] {
    let mut id = MOVES;
    let mut way = 0;
    while way < 64 * 64 {
        let (from, to) = (by_file((way / 64) as u8), by_file((way % 64) as u8));
        if queen_or_knight(from, to) {
            tokens[id as usize] = UciToken::Move(UciMove {
                from,
                to,
                promotion: None,
            });
            id += 1;
        }
        way += 1;
    }
    assert!(id == PROMOTIONS);
    tokens
}

const fn with_promotions(mut tokens: [UciToken; VOCAB_SIZE]) -> [UciToken; VOCAB_SIZE] {
    let mut id = PROMOTIONS as usize;
    let mut way = 0;
    while way < 2 * 8 * 8 {
        let (from_rank, to_rank) = if way < 64 { (6, 7) } else { (1, 0) };
        let (from_file, to_file) = ((way / 8 % 8) as u8, (way % 8) as u8);
        let mut order = 0;
        while order < PROMOTED.len() && from_file.abs_diff(to_file) <= 1 {
            tokens[id] = UciToken::Move(UciMove {
                from: by_file(from_file * 8 + from_rank),
                to: by_file(to_file * 8 + to_rank),
                promotion: Some(PROMOTED[order]),
            });
            id += 1;
            order += 1;
        }
        way += 1;
    }
    assert!(id == VOCAB_SIZE);
    tokens
}

/// A name of seven characters at most.
#[derive(Clone, Copy)]
struct Name {
    bytes: [u8; 7],
    len: u8,
}

impl Name {
    const fn new(text: &[u8]) -> Self {
        let mut bytes = [0; 7];
        let mut index = 0;
        while index < text.len() {
            bytes[index] = text[index];
            index += 1;
        }
        Self {
            bytes,
            len: text.len() as u8,
        }
    }

    const fn of(id: usize) -> Self {
        match TOKENS[id] {
            UciToken::WhiteElo(elo) => Self::of_elo(b'w', elo),
            UciToken::BlackElo(elo) => Self::of_elo(b'b', elo),
            UciToken::Move(played) => Self::of_move(played),
            _ => Self::new(SPECIALS[id].as_bytes()),
        }
    }

    const fn of_elo(side: u8, elo: u16) -> Self {
        Self::new(&[
            b'<',
            side,
            b'0' + (elo / 1000) as u8,
            b'0' + (elo / 100 % 10) as u8,
            b'0' + (elo / 10 % 10) as u8,
            b'0' + (elo % 10) as u8,
            b'>',
        ])
    }

    const fn of_move(played: UciMove) -> Self {
        let UciMove { from, to, .. } = played;
        let [a, b] = [b'a' + from.file(), b'1' + from.rank()];
        let [c, d] = [b'a' + to.file(), b'1' + to.rank()];
        let made = match played.promotion {
            None => return Self::new(&[a, b, c, d]),
            Some(PieceType::Queen) => b'q',
            Some(PieceType::Rook) => b'r',
            Some(PieceType::Bishop) => b'b',
            Some(_) => b'n',
        };
        Self::new(&[a, b, c, d, made])
    }

    fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes[..usize::from(self.len)]).ok()
    }
}

static NAMES: [Name; VOCAB_SIZE] = {
    let mut names = [Name::new(b""); VOCAB_SIZE];
    let mut id = 0;
    while id < VOCAB_SIZE {
        names[id] = Name::of(id);
        id += 1;
    }
    names
};
