//! `.zdat` files: opened, with what is told of them beside their records.

use std::path::{Path, PathBuf};

use chess_records::zdat::{
    IndexSource, Layout, LayoutEvidence, RankOrder, Undecided, ZdatFault, ZdatFaultKind, ZdatFile,
    ZdatGroup, ZdatOpenError, ZdatPosition, ZdatRecordError, licence_of,
};
use chess_records::{FileBytes, Label, LabelledPosition, Score, ZdatRecord, ZdatView};

use crate::failure::Failure;
use crate::interrupt;
use crate::report::note;
use crate::streams::{Named, is_pipe};

/// From how many groups the layout is told, spread over the file.
const GROUPS_LOOKED_AT: u64 = 64;

/// A file whose layout is told as far as it can be.
pub(crate) struct Opened {
    path: PathBuf,
    file: ZdatFile,
    evidence: LayoutEvidence,
    asked: Option<Layout>,
}

/// A record with its number and that of its group.
pub(crate) struct Found<'a> {
    pub(crate) group: u64,
    pub(crate) index: u64,
    pub(crate) record: &'a ZdatRecord,
}

impl Opened {
    pub(crate) fn open(path: &Path, asked: Option<Layout>) -> Result<Self, Failure> {
        if is_pipe(path) {
            return Err(Failure::usage(
                "zdat is read from files alone, not from pipes",
            ));
        }
        let file = ZdatFile::read(path).map_err(|error| match error {
            ZdatOpenError::View { .. } => Failure::data(error),
            error => Failure::Other(error.into()),
        })?;
        Ok(Self {
            path: path.to_path_buf(),
            evidence: look_at(file.view()),
            file,
            asked,
        })
    }

    pub(crate) fn view(&self) -> &ZdatView<FileBytes> {
        self.file.view()
    }

    /// The layout asked for, or the one that the records tell.
    pub(crate) fn layout(&self) -> Result<Layout, Undecided> {
        self.asked.map_or_else(|| self.evidence.layout(), Ok)
    }

    /// A layout that is good enough for positions, which do not need the policy's.
    pub(crate) fn rows(&self) -> Result<Layout, Undecided> {
        self.layout().or_else(|undecided| {
            let rows: Option<RankOrder> = self.evidence.rows();
            rows.map(|rows| Layout::new(rows, rows)).ok_or(undecided)
        })
    }

    /// The same for commands that can do nothing without.
    pub(crate) fn needed_rows(&self) -> Result<Layout, Failure> {
        self.rows().map_err(|undecided| {
            Failure::usage(format!(
                "{}: layout {undecided}; give --layout",
                self.path.display()
            ))
        })
    }

    /// Hands every record to `each`, or what is wrong with its group, until it fails.
    pub(crate) fn each(
        &self,
        each: impl FnMut(Result<Found<'_>, ZdatFault>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.each_from(0, each)
    }

    /// The same from record `first` on.
    pub(crate) fn each_from(
        &self,
        first: u64,
        mut each: impl FnMut(Result<Found<'_>, ZdatFault>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let (view, mut group) = (self.view(), ZdatGroup::new());
        let mut decoder = view.decoder();
        for number in first / u64::from(view.header().batch())..view.group_count() {
            if interrupt::was_asked() {
                return Err(Failure::usage("interrupted"));
            }
            if let Err(error) = decoder.read_group(number, &mut group) {
                let kind = ZdatFaultKind::Group(error.error);
                each(Err(self.fault(number, None, kind)))?;
                continue;
            }
            let records = (group.first_record()..).zip(group.records());
            for (index, record) in records.filter(|&(index, _)| index >= first) {
                each(Ok(Found {
                    group: number,
                    index,
                    record,
                }))?;
            }
        }
        Ok(())
    }

    /// What is wrong with a record or, if none is given, a group.
    pub(crate) fn fault(&self, group: u64, record: Option<u64>, error: ZdatFaultKind) -> ZdatFault {
        ZdatFault {
            group,
            record,
            byte_offset: self.view().offsets()[group as usize],
            error,
        }
    }

    pub(crate) fn record_fault(&self, found: &Found<'_>, error: ZdatRecordError) -> ZdatFault {
        self.fault(found.group, Some(found.index), ZdatFaultKind::Record(error))
    }

    pub(crate) fn failure(&self, error: impl std::error::Error + 'static) -> Failure {
        Failure::data(Named::of(&self.path, error))
    }

    /// What there is to say of the file beside its records.
    pub(crate) fn facts(&self) -> Vec<(&'static str, String)> {
        let (view, header) = (self.view(), self.view().header());
        let licence = self.licence();
        vec![
            ("records", view.len().to_string()),
            (
                "groups",
                format!(
                    "{} of up to {} records, zstd level {}, dictionary of {} bytes",
                    view.group_count(),
                    header.batch(),
                    header.level(),
                    view.dictionary().len()
                ),
            ),
            ("index", index_text(self.file.index_source())),
            ("layout", self.layout_text()),
            ("licence", licence.unwrap_or("not told by the name").into()),
        ]
    }

    /// What those who pass the data on must do, by the file's name.
    pub(crate) fn licence(&self) -> Option<&'static str> {
        let name = self.path.file_name()?.to_str()?;
        licence_of(name).map(|licence| licence.note())
    }

    fn layout_text(&self) -> String {
        match (self.asked, self.evidence.layout()) {
            (Some(asked), _) => format!("{asked} (as given)"),
            (None, Ok(layout)) => {
                format!("{layout} (told by {} records)", self.evidence.records())
            }
            (None, Err(undecided)) => undecided.to_string(),
        }
    }

    /// Says on standard error what matters to those who use the records.
    pub(crate) fn say(&self) -> Result<(), Failure> {
        let path = self.path.display();
        note(&format!(
            "{path}: index {}",
            index_text(self.file.index_source())
        ))?;
        note(&format!("{path}: layout {}", self.layout_text()))?;
        match self.licence() {
            Some(licence) => note(&format!("{path}: licence {licence}")),
            None => Ok(()),
        }
    }
}

fn look_at(view: &ZdatView<FileBytes>) -> LayoutEvidence {
    let (groups, mut group) = (view.group_count(), ZdatGroup::new());
    let looked_at = groups.min(GROUPS_LOOKED_AT);
    let mut evidence = LayoutEvidence::new();
    for number in (0..looked_at).map(|n| n * groups / looked_at) {
        // Groups that are at fault are told when all are read.
        if view.read_group(number, &mut group).is_ok() {
            evidence.extend(group.records());
        }
    }
    evidence
}

fn index_text(source: IndexSource) -> String {
    match source {
        IndexSource::Read => "read from its file".into(),
        IndexSource::Missing => "made from the data, there is no .idx file".into(),
        IndexSource::Damaged(error) => {
            format!("made from the data, the .idx file is not used: {error}")
        }
        _ => "from elsewhere".into(),
    }
}

/// The position without the score, which has no unit, or with that in centipawns.
pub(crate) fn labelled(decoded: &ZdatPosition, score: Option<i16>) -> LabelledPosition {
    LabelledPosition {
        position: decoded.position,
        label: Label::new(score.map(Score::Centipawns), Some(decoded.result)),
    }
}
