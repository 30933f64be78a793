//! Files of games split into parts.

use std::fs::{self, File};
use std::io::{BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::inputs::CHUNK_BYTES;
use super::parts::Parts;
use super::split_files::Shares;
use super::{
    FilesError, GameReadError, GameReader, Meter, Output, Progress, SplitBy, SplitFiles,
    SplitFilesError, SplitReport,
};
use crate::{Permutation, ViriFault};

impl SplitFiles {
    /// Splits files of games (viriformat) into `parts`, given with their shares, which are taken
    /// relative to their sum. Games go where [`SplitFiles`] says and keep their order and bytes;
    /// moves are not checked. The records of the report are the games' positions with a score.
    ///
    /// # Errors
    ///
    /// A [`SplitFilesError`]; [`SplitFilesError::Positions`] if [`SplitFiles::by`] asks to keep
    /// copies of positions together.
    pub fn run_games<P: AsRef<Path>>(
        &self,
        inputs: &[P],
        parts: &[(Output, f64)],
        progress: &mut Progress<'_>,
    ) -> Result<SplitReport, SplitFilesError> {
        if self.by == Some(SplitBy::Position) {
            return Err(SplitFilesError::Positions);
        }
        let shares = Shares::new(parts.iter().map(|part| part.1))?;
        let paths = || inputs.iter().map(AsRef::as_ref);
        let total = total_bytes(paths())?;
        let mut parts = self.begin(parts, paths(), "games")?;
        let mut meter = Meter::new(2 * total, progress);
        let work = self.split_games(paths, &shares, &mut parts, &mut meter);
        parts.finish(work.map(|()| SplitBy::Game).map_err(Into::into))
    }

    fn split_games<'a, I: Iterator<Item = &'a Path>>(
        &self,
        paths: impl Fn() -> I,
        shares: &Shares,
        parts: &mut Parts,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), FilesError> {
        let games = match parts.start.and_then(|start| start.games) {
            Some(games) => {
                meter.advance(meter.total / 2 + parts.place())?;
                games
            }
            None => {
                meter.advance(0)?;
                count_games(paths(), meter)?
            }
        };
        let order = Permutation::new(games, self.seed);
        let (mut game, mut place) = (parts.games_written(), parts.place());
        read_games(paths(), place, meter, |bytes, plies| {
            // Past the end only if a file changed since its games were counted.
            let part = shares.part(order.get(game).unwrap_or(0), games);
            game += 1;
            parts.report[part].games += 1;
            parts.write(part, bytes, plies)?;
            place += bytes.len() as u64;
            parts.note_if_due(place, Some(games))
        })
    }
}

fn count_games<'a>(
    paths: impl Iterator<Item = &'a Path>,
    meter: &mut Meter<'_, '_>,
) -> Result<u64, FilesError> {
    let mut games = 0;
    read_games(paths, 0, meter, |_, _| {
        games += 1;
        Ok(())
    })?;
    Ok(games)
}

fn total_bytes<'a>(paths: impl Iterator<Item = &'a Path>) -> Result<u64, FilesError> {
    let bytes = paths.map(|path| {
        let metadata = fs::metadata(path).map_err(|source| FilesError::open(path, source))?;
        if metadata.is_file() {
            Ok(metadata.len())
        } else {
            let path = path.to_path_buf();
            Err(FilesError::NotAFile { path })
        }
    });
    bytes.sum()
}

/// Hands the bytes of every game to `each`, with the number of its plies, from byte `start` of the
/// files taken end to end on. All games before were read once, so that faults are none of theirs.
fn read_games<'a>(
    paths: impl Iterator<Item = &'a Path>,
    start: u64,
    meter: &mut Meter<'_, '_>,
    mut each: impl FnMut(&[u8], u64) -> Result<(), FilesError>,
) -> Result<(), FilesError> {
    let mut skip = start;
    for path in paths {
        let mut file = File::open(path).map_err(|source| FilesError::open(path, source))?;
        let read_error = |source| FilesError::read(path, source);
        let bytes = file.metadata().map_err(read_error)?.len();
        let first = skip.min(bytes);
        skip -= first;
        file.seek(SeekFrom::Start(first)).map_err(read_error)?;
        let mut reader = GameReader::new(BufReader::with_capacity(CHUNK_BYTES, file));
        let mut unreported = 0;
        loop {
            let game = reader.next_game().map_err(|error| of_file(path, error))?;
            let Some(plies) = game.map(|game| game.len() as u64) else {
                break;
            };
            each(reader.bytes(), plies)?;
            unreported += reader.bytes().len();
            if unreported >= CHUNK_BYTES {
                meter.advance(unreported as u64)?;
                unreported = 0;
            }
        }
        meter.advance(unreported as u64)?;
    }
    Ok(())
}

fn of_file(path: &Path, error: GameReadError) -> FilesError {
    let path: PathBuf = path.to_path_buf();
    match error {
        GameReadError::Io { source, .. } => FilesError::Read { path, source },
        GameReadError::Fault(source) => FilesError::Game { path, source },
        GameReadError::Endless { game, byte_offset } => FilesError::Game {
            path,
            source: ViriFault {
                game,
                game_offset: byte_offset,
                ply: None,
                error: crate::ViriError::NoEnd,
            },
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ViriGames;
    use std::error::Error;
    use std::ops::ControlFlow;
    use std::string::ToString;
    use std::vec::Vec;

    const GAMES: &[u8] = include_bytes!("../../tests/golden/viri/valid/games.viri");

    fn run(split: SplitFiles, folder: &Path) -> Result<SplitReport, SplitFilesError> {
        let part = |name, share| (Output::new(folder.join(name)), share);
        let parts = [part("train", 0.8), part("test", 0.2)];
        let inputs = [folder.join("a"), folder.join("b")];
        split.run_games(&inputs, &parts, &mut |_, _| ControlFlow::Continue(()))
    }

    #[test]
    fn every_game_goes_somewhere_whole() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), GAMES).unwrap();
        fs::write(folder.path().join("b"), GAMES).unwrap();
        let report = run(SplitFiles::default(), folder.path()).unwrap();
        assert_eq!(report.by, SplitBy::Game);
        let all = ViriGames::new(GAMES).unwrap();
        let total = 2 * all.len();
        assert_eq!(report.parts[1].games, (total as f64 * 0.2).round() as u64);
        let mut games = 0;
        let mut found = Vec::new();
        for (name, part) in ["train", "test"].iter().zip(&report.parts) {
            let bytes = fs::read(folder.path().join(name)).unwrap();
            let here = ViriGames::new(bytes).unwrap();
            assert_eq!(here.verify().count(), 0);
            assert_eq!(
                (part.games, part.records),
                (here.len(), here.position_count())
            );
            games += part.games;
            found.extend(here.iter().map(|game| (*game.start(), game.len())));
        }
        assert_eq!(games, total);
        let mut expected: Vec<_> = [&all, &all]
            .iter()
            .flat_map(|games| games.iter())
            .map(|game| (*game.start(), game.len()))
            .collect();
        let by_bytes = |(start, len): &(crate::MarlinRecord, usize)| (start.to_bytes(), *len);
        expected.sort_by_key(by_bytes);
        found.sort_by_key(by_bytes);
        assert_eq!(found, expected);
    }

    #[test]
    fn faults_leave_no_output() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), GAMES).unwrap();
        fs::write(folder.path().join("b"), &GAMES[..100]).unwrap();
        let SplitFilesError::Files(error) = run(SplitFiles::default(), folder.path()).unwrap_err()
        else {
            panic!("expected an error of files");
        };
        assert_eq!(
            error.to_string(),
            folder.path().join("b").display().to_string()
        );
        let fault = error.source().unwrap().to_string();
        assert!(fault.starts_with("game "), "{fault}");
        assert!(!folder.path().join("train").exists());
        let by = Some(SplitBy::Position);
        let error = run(SplitFiles { seed: 0, by }, folder.path()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "games are not split by positions: expand them into records first"
        );
    }
}
