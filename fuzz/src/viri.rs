//! Games in viriformat.

use chess_records::{ViriFault, ViriFilter, ViriGame, ViriGames, ViriPosition, ViriWriter};

/// Takes the bytes for games. What is accepted must be written as the same bytes, move by move, and
/// the games before a fault must be sound by themselves.
pub fn viri(data: &[u8]) {
    let (games, fault) = ViriGames::sound_prefix(data);
    assert_eq!(ViriGames::new(data).err(), fault);
    let end = games.iter().last();
    let end = end.map_or(0, |game| game.byte_offset() as usize + game.byte_len());
    match &fault {
        None => assert_eq!(end, data.len()),
        Some(fault) => assert!(names_a_place(fault, end, data.len()), "{fault:?}"),
    }
    let prefix = ViriGames::new(&data[..end]).expect("a sound prefix");
    assert_eq!(prefix.len(), games.len());
    positions_are_found(&games);
    games.iter().for_each(replays);
}

fn names_a_place(fault: &ViriFault, end: usize, len: usize) -> bool {
    fault.game_offset as usize == end
        && (fault.game_offset..=len as u64).contains(&fault.byte_offset())
}

fn positions_are_found(games: &ViriGames<&[u8]>) {
    let mut position = 0;
    for game in games.iter() {
        assert_eq!(games.first_position(game.number()), position);
        for ply in 0..game.len() as u64 {
            assert_eq!(games.find(position), Some((game.number(), ply)));
            position += 1;
        }
    }
    assert_eq!(games.position_count(), position);
    assert_eq!(games.find(position), None);
    assert_eq!(games.verify().count(), faulty(games));
}

fn faulty(games: &ViriGames<&[u8]>) -> usize {
    games.iter().filter(|game| game.verify().is_err()).count()
}

fn replays(game: ViriGame<'_>) {
    let mut writer = ViriWriter::new(Vec::new());
    let moves = game.moves();
    let sound = moves.filter_map(|(played, score_cp)| Some((played.ok()?, score_cp)));
    let written = writer.write_game(game.start(), sound);
    if game.verify().is_ok() {
        written.expect("a game that replays");
        let rebuilt = writer.into_inner();
        assert_eq!(rebuilt.len(), game.byte_len());
        let (again, rest) = ViriGame::first(&rebuilt, 0, 0).expect("it was written");
        assert!(rest.is_empty());
        assert_eq!(again.start().as_bytes(), game.start().as_bytes());
        assert!(again.moves().eq(game.moves()));
        assert_eq!(game.positions().count(), game.len());
    }
    for position in game.positions().map_while(Result::ok) {
        is_a_sample(&position);
    }
}

fn is_a_sample(here: &ViriPosition) {
    let record = here.to_marlin_lossy();
    let decoded = record.decode().expect("it was encoded");
    assert_eq!(decoded.label, here.labelled.label);
    let with_move = here.to_marlin_move_lossy();
    assert_eq!(with_move.move_bits(), here.played.to_bits());
    assert!(ViriFilter::EVERYTHING.keeps(here));
    let tactical = here.labelled.position.is_tactical(here.played);
    assert!(!tactical || !ViriFilter::USUAL.keeps(here));
}
