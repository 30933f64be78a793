//! Where an option stands in a description.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::ConfigError;
use crate::corpus::stages::SettingsError;

/// The name of an option, and where it is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place<'a> {
    /// The table that it is in; `None` if that is the whole file.
    pub(super) table: Option<&'a str>,
    /// Of several tables of one name, which.
    pub(super) index: usize,
    /// The option; `None` if that is the table.
    pub(super) name: Option<&'a str>,
}

impl<'a> Place<'a> {
    pub(super) const fn top(name: &'a str) -> Self {
        Self {
            table: None,
            index: 0,
            name: Some(name),
        }
    }

    pub(super) const fn of(table: &'a str, name: &'a str) -> Self {
        Self {
            table: Some(table),
            index: 0,
            name: Some(name),
        }
    }

    /// As people call it.
    fn text(&self) -> String {
        let parts = self.table.into_iter().chain(self.name);
        parts.collect::<Vec<_>>().join(".")
    }

    /// The line in which it stands, or its table if it does not; from 1.
    fn line(&self, text: &str) -> Option<usize> {
        let whole = DeTable::parse(text).ok()?;
        let whole = whole.get_ref();
        let start = match self.table {
            None => key(whole, self.name?)?.0,
            Some(table) => {
                let (start, value) = key(whole, table)?;
                let (start, value) = match value {
                    DeValue::Array(tables) => {
                        let table = tables.get(self.index)?;
                        (table.span().start, table.get_ref())
                    }
                    value => (start, value),
                };
                let option = self.name.zip(value.as_table());
                let option = option.and_then(|(name, table)| key(table, name));
                option.map_or(start, |(start, _)| start)
            }
        };
        Some(1 + text.get(..start)?.matches('\n').count())
    }

    /// The error with the line of the option, if that can be told.
    pub(super) fn place(&self, text: &str, source: ConfigError) -> ConfigError {
        match self.line(text) {
            None => source,
            Some(line) => ConfigError::At {
                line,
                option: self.text(),
                source: Box::new(source),
            },
        }
    }
}

/// Where a key begins, and its value.
fn key<'t, 'i>(table: &'t DeTable<'i>, name: &str) -> Option<(usize, &'t DeValue<'i>)> {
    let found = table.iter().find(|(key, _)| key.get_ref() == name)?;
    Some((found.0.span().start, Spanned::get_ref(found.1)))
}

/// The setting of a stage at fault.
pub(super) const fn setting(error: &SettingsError) -> &'static str {
    match error {
        SettingsError::Elo { .. } => "max_elo",
        SettingsError::NoTerminations => "terminations",
        SettingsError::NoLimit => "limit",
        SettingsError::Plies { .. } => "min_plies",
        SettingsError::MostPlies { .. } => "max_plies",
        SettingsError::BinWidth => "bin_width",
        SettingsError::BinStart { name, .. } => name,
        SettingsError::Bins { .. } => "min_bin",
        SettingsError::MostElo { .. } => "max_bin",
        SettingsError::NoQuota => "n_per_bin",
        SettingsError::NothingToPack => "train",
        SettingsError::ValMonth { .. } => "val_month",
    }
}
