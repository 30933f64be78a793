//! Files opened as datasets.

use std::fs::File;
use std::io::BufReader;
use std::sync::Arc;

use chess_records::zdat::{
    Layout, LayoutEvidence, RankOrder, ZdatFile, ZdatGroup, ZdatPositions, ZdatView,
};
use chess_records::{
    BulletRecord, Dataset, FileBytes, FixedRecord, LabelledPosition, MarlinMoveRecord,
    MarlinRecord, MarlinView, RecordView, Score, TextReader, ViriGames, ZdatRecord,
};

use super::source::{Format, Source, ZdatLayout, ZdatScore};
use crate::Outcome;

/// Samples of any format.
pub(crate) type Samples = Arc<dyn Dataset<Batch = Vec<LabelledPosition>>>;

/// From how many groups the layout of a `.zdat` file is told, spread over the file.
const GROUPS_LOOKED_AT: u64 = 64;

/// Opens a file. Errors name it; those of the dataset do not.
pub(crate) fn open(source: &Source) -> Outcome<Samples> {
    let format = source.format()?;
    if format != Format::Zdat && (source.score.is_some() || source.layout.is_some()) {
        let path = source.path.display();
        return Err(format!("{path}: score and layout are for zdat files alone").into());
    }
    match format {
        Format::Marlin => records::<MarlinRecord>(source),
        Format::MarlinMove => records::<MarlinMoveRecord>(source),
        Format::Bullet => records::<BulletRecord>(source),
        Format::Viri => games(source),
        Format::Zdat => zdat(source),
        Format::Text => text(source),
    }
}

fn records<R: FixedRecord>(source: &Source) -> Outcome<Samples> {
    let view = RecordView::<R, _>::new(FileBytes::read(&source.path)?);
    Ok(Arc::new(view.map_err(|error| named(source, error))?))
}

fn games(source: &Source) -> Outcome<Samples> {
    let games = ViriGames::new(FileBytes::read(&source.path)?);
    Ok(Arc::new(games.map_err(|error| named(source, error))?))
}

/// Text is kept as records: they say the same and tell their games.
fn text(source: &Source) -> Outcome<Samples> {
    let file = File::open(&source.path).map_err(|error| named(source, error))?;
    let mut bytes = Vec::new();
    for labelled in TextReader::new(BufReader::new(file)) {
        let labelled = labelled.map_err(|error| named(source, error))?;
        let record = MarlinRecord::encode(&labelled, 0).map_err(|error| named(source, error))?;
        bytes.extend_from_slice(record.as_bytes());
    }
    let view = MarlinView::new(bytes).map_err(|error| named(source, error))?;
    Ok(Arc::new(view))
}

fn zdat(source: &Source) -> Outcome<Samples> {
    let Some(score) = source.score else {
        let path = source.path.display();
        return Err(format!(
            "{path}: scores of zdat files have no unit, say what they are by score: none, \
             expected, centipawns or pawns"
        )
        .into());
    };
    let file = ZdatFile::read(&source.path)?;
    let rows = match source.layout {
        Some(ZdatLayout::Rank1) => RankOrder::Rank1First,
        Some(ZdatLayout::Rank8) => RankOrder::Rank8First,
        None => told_rows(file.view()).ok_or_else(|| {
            let path = source.path.display();
            format!("{path}: the records do not tell how ranks are numbered, say layout")
        })?,
    };
    let positions = ZdatPositions::new(
        Arc::clone(file.view()),
        Layout::new(rows, rows),
        move |record: &ZdatRecord| mapped(score, record.score()),
    );
    Ok(Arc::new(positions))
}

fn told_rows(view: &ZdatView<FileBytes>) -> Option<RankOrder> {
    let (groups, mut group) = (view.group_count(), ZdatGroup::new());
    let looked_at = groups.min(GROUPS_LOOKED_AT);
    let mut evidence = LayoutEvidence::new();
    for number in (0..looked_at).map(|n| n * groups / looked_at) {
        // Groups that are at fault are told when they are gathered.
        if view.read_group(number, &mut group).is_ok() {
            evidence.extend(group.records());
        }
    }
    evidence.rows()
}

/// The mover's score, who is White in the positions of such files.
fn mapped(score: ZdatScore, number: f32) -> Option<Score> {
    // Conversions to integers saturate: a mate stays one.
    match score {
        ZdatScore::None => None,
        ZdatScore::Expected => Some(Score::Expected((number + 1.0) / 2.0)),
        ZdatScore::Centipawns => Some(Score::Centipawns(number.round() as i16)),
        ZdatScore::Pawns => Some(Score::Centipawns((100.0 * number).round() as i16)),
    }
}

fn named(source: &Source, error: impl std::error::Error) -> String {
    let mut text = format!("{}: {error}", source.path.display());
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_zdat_are_what_they_are_said_to_be() {
        assert_eq!(mapped(ZdatScore::None, 0.5), None);
        assert_eq!(
            mapped(ZdatScore::Expected, -0.5),
            Some(Score::Expected(0.25))
        );
        assert_eq!(
            mapped(ZdatScore::Centipawns, -49.6),
            Some(Score::Centipawns(-50))
        );
        assert_eq!(
            mapped(ZdatScore::Pawns, 1.254),
            Some(Score::Centipawns(125))
        );
        assert_eq!(
            mapped(ZdatScore::Pawns, 1e9),
            Some(Score::Centipawns(i16::MAX))
        );
    }
}
