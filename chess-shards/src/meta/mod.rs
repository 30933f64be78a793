//! `meta.json`: what a set of shards was made from, how, and which shards are for what.
//!
//! [`Meta`] has the keys in the order in which the reference writes them; see its fields. Keys that
//! it does not know are kept, in their place.
//!
//! The layout is that of the ChessTransformer project's `build_shards.py`.

mod check;
mod error;
mod text;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use error::{MetaError, MetaReadError};

use crate::{Action, FlatRecord, SampleWeighting};

/// The contents of `meta.json`.
///
/// A `Meta` that was read has been [checked](Meta::check).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(clippy::exhaustive_structs)] // Builders write one.
pub struct Meta {
    /// 1; others are refused.
    pub format_version: u64,
    /// The fields of a row.
    pub record_dtype: RecordDtype,
    /// The most legal actions of a row: 64.
    pub legal_cap: u64,
    /// What fills up a row's legal actions: 4672.
    pub pad_action: u64,
    /// The name of the source: an HDF5 file of the reference, or a PGN file.
    pub source_h5: String,
    /// How many games the source has.
    pub source_games: u64,
    /// How many positions were drawn of each game, at most.
    pub k: u64,
    /// The seed of all draws.
    pub seed: u64,
    /// Whether a position may be drawn twice.
    pub sample_mode: SampleMode,
    /// How likely each ply is.
    pub sample_weighting: SampleWeighting,
    /// Plies at the start of a game that are not drawn.
    pub skip_opening_plies: u64,
    /// The lowest mean Elo of a game's players.
    pub min_elo: Option<i64>,
    /// The highest mean Elo of a game's players.
    pub max_elo: Option<i64>,
    /// How many rows all shards have together.
    pub num_samples: u64,
    /// Which shards are for what.
    pub splits: Splits,
    /// The shards.
    pub shards: Vec<ShardInfo>,
    /// The revision of the program that built the set.
    pub git_sha: String,
    /// How long that took, in seconds.
    pub build_seconds: serde_json::Number,
    /// Keys that are none of the above.
    #[serde(flatten)]
    pub other: Map<String, Value>,
    /// All keys in the order in which they were read; what is not named here is written last.
    #[serde(skip)]
    pub key_order: Vec<String>,
}

/// The fields of a row, as numpy describes them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(clippy::exhaustive_structs)]
pub struct RecordDtype {
    /// Their names.
    pub names: Vec<String>,
    /// Their types, such as `"|u1"`, or `["<u2", 64]` for an array.
    pub formats: Vec<Value>,
    /// Where they begin, in bytes.
    pub offsets: Vec<u64>,
    /// The size of a row in bytes: 202.
    pub itemsize: u64,
}

/// Whether a position of a game may be drawn twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SampleMode {
    /// No.
    Unique,
    /// Yes.
    Iid,
}

/// Which shards are for what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::exhaustive_structs)]
pub struct Splits {
    /// The ids of the shards to train on.
    pub train: Vec<u64>,
    /// The ids of the shards to choose by.
    pub val: Vec<u64>,
    /// The ids of the shards to judge by.
    pub test: Vec<u64>,
}

/// What a shard is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SplitName {
    /// To train on.
    Train,
    /// To choose a network by.
    Val,
    /// To judge it by.
    Test,
}

/// One shard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(clippy::exhaustive_structs)]
pub struct ShardInfo {
    /// Its number, by which splits name it.
    pub shard_id: u64,
    /// Its file, relative to `meta.json`; `.zst` is added where it is compressed.
    pub path: String,
    /// The number of its first game in the source.
    pub game_start: u64,
    /// The number of the game after its last.
    pub game_end: u64,
    /// How many rows it has.
    pub num_samples: u64,
    /// How many of them had more legal moves than are written.
    pub num_overflow: u64,
    /// How many games ended early at a move that could not be played.
    pub num_bad_push: u64,
    /// How many games were too short.
    pub num_skipped_games: u64,
    /// How many games the Elo bounds left out.
    pub num_filtered_games: u64,
    /// Keys that are none of the above.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Meta {
    /// The only version.
    pub const FORMAT_VERSION: u64 = 1;
    /// The name of the file.
    pub const FILE_NAME: &str = "meta.json";

    /// The shard with this id.
    #[must_use]
    pub fn shard(&self, shard_id: u64) -> Option<&ShardInfo> {
        self.shards.iter().find(|shard| shard.shard_id == shard_id)
    }
}

impl RecordDtype {
    /// That of [`FlatRecord`].
    #[must_use]
    pub fn flat() -> Self {
        let names = NAMES.map(|(name, ..)| name.to_owned());
        let formats = NAMES.map(|(_, format, len, _)| match len {
            0 => Value::from(format),
            len => Value::from(vec![Value::from(format), Value::from(len)]),
        });
        Self {
            names: names.into(),
            formats: formats.into(),
            offsets: NAMES.map(|(.., offset)| offset).into(),
            itemsize: FlatRecord::BYTES as u64,
        }
    }
}

/// Name, type, length of an array and offset of each field.
const NAMES: [(&str, &str, u64, u64); 10] = [
    ("position", "|u1", 64, 0),
    ("legal_idx", "<u2", 64, 64),
    ("legal_cnt", "|u1", 0, 192),
    ("from_square", "|u1", 0, 193),
    ("action_plane", "|u1", 0, 194),
    ("castling_rights", "|u1", 0, 195),
    ("en_passant_file", "|u1", 0, 196),
    ("is_white", "|u1", 0, 197),
    ("result", "|i1", 0, 198),
    ("move_number", "<u2", 0, 200),
];

const PAD_ACTION: u64 = Action::PAD as u64;
const LEGAL_CAP: u64 = FlatRecord::LEGAL_CAP as u64;

impl Splits {
    /// The ids of the shards of a split.
    #[must_use]
    pub fn ids(&self, split: SplitName) -> &[u64] {
        match split {
            SplitName::Train => &self.train,
            SplitName::Val => &self.val,
            SplitName::Test => &self.test,
        }
    }
}

impl SplitName {
    /// Every split.
    pub const ALL: [Self; 3] = [Self::Train, Self::Val, Self::Test];
}

/// The key in `meta.json`.
impl std::fmt::Display for SplitName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Train => "train",
            Self::Val => "val",
            Self::Test => "test",
        })
    }
}

#[cfg(test)]
mod tests;
