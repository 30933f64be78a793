//! The parts of a split, being written.

use std::vec;
use std::vec::Vec;

use super::{FilesError, PartReport, ResumableFiles, SplitBy, SplitFilesError, SplitReport};

/// The outputs, and what went into them.
#[derive(Debug)]
pub(super) struct Parts {
    files: ResumableFiles,
    pub(super) report: Vec<PartReport>,
    /// Where this goes on, if it does.
    pub(super) start: Option<Start>,
}

/// Where writing goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Start {
    /// Where in the inputs, taken end to end: so many records, or bytes of files of games.
    pub(super) place: u64,
    /// How many games were counted in all, if the files tell.
    pub(super) games: Option<u64>,
}

impl Parts {
    pub(super) fn of(files: ResumableFiles, parts: usize) -> Self {
        let noted = files.mark().and_then(|mark| read_mark(mark, parts));
        let (start, report) = match noted {
            Some((start, report)) => (Some(start), report),
            None => (None, vec![PartReport::default(); parts]),
        };
        Self {
            files,
            report,
            start,
        }
    }

    pub(super) fn place(&self) -> u64 {
        self.start.map_or(0, |start| start.place)
    }

    pub(super) fn games_written(&self) -> u64 {
        self.report.iter().map(|part| part.games).sum()
    }

    /// Writes so many records to a part.
    #[inline]
    pub(super) fn write(
        &mut self,
        part: usize,
        bytes: &[u8],
        records: u64,
    ) -> Result<(), FilesError> {
        self.files.put(part, bytes)?;
        self.report[part].records += records;
        Ok(())
    }

    /// Notes, if it is time, that everything before `place` is written.
    #[inline]
    pub(super) fn note_if_due(&mut self, place: u64, games: Option<u64>) -> Result<(), FilesError> {
        if !self.files.is_due() {
            return Ok(());
        }
        let start = Start { place, games };
        self.files.note(&write_mark(start, &self.report))
    }

    pub(super) fn finish(
        self,
        work: Result<SplitBy, SplitFilesError>,
    ) -> Result<SplitReport, SplitFilesError> {
        let parts = self.report;
        let cancelled =
            |error: &_| matches!(error, SplitFilesError::Files(error) if error.is_cancelled());
        let by = self.files.finish_or_keep(work, cancelled)?;
        Ok(SplitReport { by, parts })
    }
}

fn write_mark(start: Start, report: &[PartReport]) -> Vec<u64> {
    let Start { place, games } = start;
    let head = [place, games.is_some().into(), games.unwrap_or(0)];
    let parts = report.iter().flat_map(|part| [part.records, part.games]);
    head.into_iter().chain(parts).collect()
}

fn read_mark(mark: &[u64], parts: usize) -> Option<(Start, Vec<PartReport>)> {
    let (&[place, told, games], report) = mark.split_first_chunk()?;
    let (report, []) = report.as_chunks() else {
        return None;
    };
    let report = report
        .iter()
        .map(|&[records, games]| PartReport { records, games });
    let start = Start {
        place,
        games: (told == 1).then_some(games),
    };
    Some((start, report.collect::<Vec<_>>())).filter(|(_, report)| report.len() == parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_back() {
        let report = [(5, 1), (0, 0)].map(|(records, games)| PartReport { records, games });
        for games in [None, Some(0), Some(9)] {
            let start = Start { place: 5, games };
            let mark = write_mark(start, &report);
            assert_eq!(read_mark(&mark, 2), Some((start, report.to_vec())));
            assert_eq!(read_mark(&mark, 1), None);
            assert_eq!(read_mark(&mark[..6], 2), None);
        }
        assert_eq!(read_mark(&[], 0), None);
    }
}
