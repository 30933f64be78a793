//! Reading and writing the JSON as Python's `json.dumps(…, indent=2)` does.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use chess_records::{AtomicFile, AtomicFileError};
use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter};
use serde_json::{Map, Value};

use super::{Meta, MetaError, MetaReadError};

/// Far over what a set of ten thousand shards needs.
const MOST_BYTES: u64 = 1 << 26;

impl Meta {
    /// Reads and [checks](Meta::check) the text of a `meta.json`.
    ///
    /// # Errors
    ///
    /// A [`MetaError`] for the first thing that is wrong; another version than 1 before all else.
    pub fn from_json(text: impl AsRef<[u8]>) -> Result<Self, MetaError> {
        let value: Map<String, Value> = serde_json::from_slice(text.as_ref())?;
        match value.get("format_version") {
            Some(found) if found.as_u64() != Some(Self::FORMAT_VERSION) => {
                let found = found.to_string();
                return Err(MetaError::Version { found });
            }
            _ => {}
        }
        let key_order = value.keys().cloned().collect();
        let mut meta: Self = serde_json::from_value(Value::Object(value))?;
        meta.key_order = key_order;
        meta.check()?;
        Ok(meta)
    }

    /// Reads the file `meta.json`.
    ///
    /// # Errors
    ///
    /// A [`MetaReadError`] that names the file.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, MetaReadError> {
        let path = path.as_ref();
        let mut text = Vec::new();
        let read =
            File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut text));
        match read {
            Err(source) => Err(MetaReadError::Io {
                path: path.to_path_buf(),
                source,
            }),
            Ok(bytes) if bytes as u64 > MOST_BYTES => Err(MetaReadError::TooLong {
                path: path.to_path_buf(),
                most: MOST_BYTES,
            }),
            Ok(_) => Self::from_json(text).map_err(|source| MetaReadError::Meta {
                path: path.to_path_buf(),
                source,
            }),
        }
    }

    /// The text, as Python writes it: an indent of 2, ASCII alone, no line feed at the end; keys in
    /// the order of the fields here or, of what was read, in that of the file. Only numbers with a
    /// fraction and an exponent look otherwise, where the time of a build may be one.
    ///
    /// # Panics
    ///
    /// Never: all values can be written as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.ordered()
            .and_then(|value| python_json(&value))
            .unwrap_or_default()
    }

    /// Writes the text to a file, which takes its place when it is whole.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), AtomicFileError> {
        let path = path.as_ref();
        let mut file = AtomicFile::create(path)?;
        file.write_all(self.to_json().as_bytes())
            .map_err(|source| AtomicFileError::Write {
                path: path.to_path_buf(),
                source,
            })?;
        file.finish()
    }

    fn ordered(&self) -> Option<Map<String, Value>> {
        let Value::Object(mut value) = serde_json::to_value(self).ok()? else {
            return None;
        };
        let mut ordered = Map::new();
        for key in &self.key_order {
            if let Some((key, value)) = value.shift_remove_entry(key) {
                ordered.insert(key, value);
            }
        }
        // Bounds that a file does not have are not there; all else that was not read is new.
        let was_read = !self.key_order.is_empty();
        let absent = |key: &str, value: &Value| {
            was_read && value.is_null() && matches!(key, "min_elo" | "max_elo")
        };
        ordered.extend(value.into_iter().filter(|(key, value)| !absent(key, value)));
        Some(ordered)
    }
}

fn python_json(value: &Map<String, Value>) -> Option<String> {
    let mut text = Vec::new();
    let formatter = PythonFormatter(PrettyFormatter::new());
    let mut serializer = serde_json::Serializer::with_formatter(&mut text, formatter);
    value.serialize(&mut serializer).ok()?;
    String::from_utf8(text).ok()
}

/// serde_json's own, but that it leaves nothing but ASCII.
struct PythonFormatter(PrettyFormatter<'static>);

macro_rules! as_pretty {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {$(
        fn $name<W: ?Sized + Write>(&mut self, writer: &mut W, $($argument: $type),*) -> io::Result<()> {
            self.0.$name(writer, $($argument),*)
        }
    )*};
}

impl Formatter for PythonFormatter {
    as_pretty! {
        begin_array();
        end_array();
        begin_array_value(first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(first: bool);
        begin_object_value();
        end_object_value();
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        for character in fragment.chars() {
            match character {
                ' '..='~' => writer.write_all(&[character as u8])?,
                _ => {
                    for unit in character.encode_utf16(&mut [0; 2]) {
                        write!(writer, "\\u{unit:04x}")?;
                    }
                }
            }
        }
        Ok(())
    }
}
