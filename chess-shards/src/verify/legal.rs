//! The list of legal actions.

use chess_records::Position;

use super::RowFault;
use crate::{Action, FlatRecord, legal_actions};

/// Checks the list of a row against the rules; `legal` is a buffer.
pub(super) fn check(
    row: &FlatRecord,
    position: &Position,
    legal: &mut Vec<Action>,
) -> Result<(), RowFault> {
    let mut listed = [None; FlatRecord::LEGAL_CAP];
    let listed = read(row, &mut listed)?;
    let target = row.target()?;
    if let Some(found) = first_other(listed, target) {
        return Err(RowFault::TargetNotFirst { found, target });
    }
    legal_actions(position, legal);
    let is_legal = |action: &Action| legal.contains(action);
    if let Some(&action) = listed.iter().flatten().find(|&action| !is_legal(action)) {
        return Err(RowFault::Illegal { action });
    }
    // The move played comes first, the others keep their order.
    if let Some(place) = legal.iter().position(|&action| action == target) {
        legal[..=place].rotate_right(1);
    }
    compare(listed, legal)
}

fn first_other(listed: &[Option<Action>], target: Action) -> Option<Action> {
    let first = listed.first().copied().flatten();
    first.filter(|&found| found != target)
}

/// The actions of the list.
fn read<'a>(
    row: &FlatRecord,
    listed: &'a mut [Option<Action>; FlatRecord::LEGAL_CAP],
) -> Result<&'a [Option<Action>], RowFault> {
    let found = row.legal_cnt();
    let used = usize::from(found);
    if used == 0 || used > FlatRecord::LEGAL_CAP {
        return Err(RowFault::LegalCount { found });
    }
    for (index, found) in row.legal_idx().into_iter().enumerate() {
        if index < used {
            let action = Action::new(found);
            let action = action.map_err(|error| RowFault::LegalAction { index, error })?;
            listed[index] = Some(action);
        } else if found != Action::PAD {
            return Err(RowFault::Padding { index, found });
        }
    }
    Ok(&listed[..used])
}

/// Whether the list is that of the rules, or the first 64 of it.
fn compare(listed: &[Option<Action>], legal: &[Action]) -> Result<(), RowFault> {
    let written = &legal[..legal.len().min(FlatRecord::LEGAL_CAP)];
    let places = listed.iter().flatten().zip(written);
    let first = places
        .enumerate()
        .find(|(_, (found, expected))| found != expected);
    let unlisted = |action: &&Action| !listed.contains(&Some(**action));
    if let Some((index, (&found, &expected))) = first {
        return match written.iter().find(unlisted) {
            Some(&action) if listed.len() < written.len() => Err(RowFault::Unlisted { action }),
            _ => Err(RowFault::Order {
                index,
                found,
                expected,
            }),
        };
    }
    match (listed.get(written.len()), written.get(listed.len())) {
        (_, Some(&action)) => Err(RowFault::Unlisted { action }),
        // One more than there are, all of which are legal: one of them stands there twice.
        (Some(&Some(action)), None) => Err(RowFault::Illegal { action }),
        _ => Ok(()),
    }
}
