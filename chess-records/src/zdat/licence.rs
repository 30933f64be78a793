//! Under which licence published files are.

/// The licence of published data; it travels with every file made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DataLicence {
    /// Stoofvlees' own games, `train_*`: Creative Commons Attribution 4.0.
    CcBy4,
    /// Games of Leela Chess Zero's training, `test80-*`: the Open Database License 1.0 for the
    /// collection and the Database Contents License 1.0 for what is in it.
    OdblDbcl,
}

impl DataLicence {
    /// What it is called, as SPDX expressions have it; `DbCL-1.0` is not in SPDX's list.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CcBy4 => "CC-BY-4.0",
            Self::OdblDbcl => "ODbL-1.0 and DbCL-1.0",
        }
    }

    /// What those who pass data on, or what they made of it, must do; not legal advice.
    #[must_use]
    pub const fn note(self) -> &'static str {
        match self {
            Self::CcBy4 => "CC-BY-4.0: name the author and the licence, and say what was changed",
            Self::OdblDbcl => {
                "ODbL 1.0 and DbCL 1.0: name the source and the licence, and share databases made \
                 of it under the ODbL"
            }
        }
    }
}

/// The licence of a published file by its name: `train_*` or `test80-*`, with or without folders
/// before it. `None` for other names, which tell nothing.
#[must_use]
pub fn licence_of(name: &str) -> Option<DataLicence> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    if name.starts_with("train_") {
        Some(DataLicence::CcBy4)
    } else if name.starts_with("test80-") {
        Some(DataLicence::OdblDbcl)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell() {
        for (name, licence) in [
            ("train_fullgame.zdat", Some("CC-BY-4.0")),
            ("data/train_early.zdat.idx", Some("CC-BY-4.0")),
            (
                r"c:\data\test80-2023-01.zdat",
                Some("ODbL-1.0 and DbCL-1.0"),
            ),
            ("test80", None),
            ("mytrain_1.zdat", None),
            ("train_1/other.zdat", None),
            ("", None),
        ] {
            assert_eq!(licence_of(name).map(DataLicence::name), licence, "{name}");
        }
        assert!(DataLicence::CcBy4.note().starts_with("CC-BY-4.0"));
        assert!(
            DataLicence::OdblDbcl
                .note()
                .contains("ODbL 1.0 and DbCL 1.0")
        );
    }
}
