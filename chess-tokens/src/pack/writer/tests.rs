use super::commit::Step;
use super::left_over::temporary_of;
use super::*;
use crate::pack::{OpenPackError, TokenPack};
use crate::tokenizer::{DecodeError, EncodeError};
use crate::{Scheme, Tokenizer};
use chess_records::Game;
use std::error::Error;

const HASH: &str = "527c5dda224cab570cb84da8f7dcda0f43fe53edaf86822f899568f5dd824b46";

/// A tokenizer that only says who it is.
pub(in crate::pack) struct Named(pub(in crate::pack) u32, pub(in crate::pack) &'static str);

impl Tokenizer for Named {
    fn scheme(&self) -> Scheme {
        Scheme::Uci
    }

    fn vocab_size(&self) -> u32 {
        self.0
    }

    fn vocab_hash(&self) -> &str {
        self.1
    }

    fn name(&self, _: u16) -> Option<&str> {
        None
    }

    fn token(&self, _: &str) -> Option<u16> {
        None
    }

    fn encode(&self, _: &Game, _: &mut Vec<u16>) -> Result<(), EncodeError> {
        unreachable!("no game is encoded")
    }

    fn decode(&self, _: &[u16]) -> Result<Game, DecodeError> {
        unreachable!("no game is decoded")
    }
}

const NAMED: Named = Named(2030, HASH);

fn writer(folder: &Path) -> PackWriter {
    PackWriter::create(folder, &NAMED, ["games.pgn"]).unwrap()
}

/// Writes a pack of one game with these tokens between `<bos>` and `<eos>`.
fn filled(folder: &Path, inner: &[u16]) -> PackWriter {
    let mut writer = writer(folder);
    writer.push(&[&[1], inner, &[2]].concat()).unwrap();
    writer
}

fn write(folder: &Path, inner: &[u16]) {
    filled(folder, inner).finish().unwrap();
}

/// The tokens of the pack's only game between `<bos>` and `<eos>`.
fn read(folder: &Path) -> Result<Vec<u16>, OpenPackError> {
    let pack = TokenPack::read(folder)?;
    assert_eq!(pack.verify().next(), None);
    assert_eq!((pack.len(), pack.meta().source.as_str()), (1, "games.pgn"));
    let tokens = pack.tokens();
    Ok(tokens[1..tokens.len() - 1].to_vec())
}

fn names(folder: &Path) -> Vec<String> {
    let listed = fs::read_dir(folder).unwrap();
    let names = listed.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

const PACK: [&str; 3] = ["meta.json", "starts.npy", "tokens.npy"];

#[test]
fn what_is_written_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new").join("pack");
    let mut writer = writer(&path);
    writer.push(&[1, 99, 2]).unwrap();
    writer.push(&[1, 2]).unwrap();
    assert_eq!((writer.games(), writer.tokens()), (2, 5));
    let meta = writer.finish().unwrap();
    assert_eq!((meta.n_games, meta.n_tokens), (2, 5));
    let pack = TokenPack::read(&path).unwrap();
    assert_eq!(*pack.meta(), meta);
    assert_eq!(pack.game(0).unwrap(), Some(&[1, 99, 2][..]));
    assert_eq!(pack.game(1).unwrap(), Some(&[1, 2][..]));
    assert_eq!(pack.game(2).unwrap(), None);
    assert_eq!(names(&path), PACK);
}

#[test]
fn a_pack_without_games() {
    let folder = tempfile::tempdir().unwrap();
    writer(folder.path()).finish().unwrap();
    let pack = TokenPack::read(folder.path()).unwrap();
    assert!(pack.is_empty());
    assert_eq!(pack.game(0).unwrap(), None);
    assert_eq!(pack.verify().next(), None);
}

#[test]
fn a_writer_that_is_dropped_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pack");
    drop(filled(&path, &[7]));
    assert!(!path.exists());
    write(&path, &[8]);
    drop(filled(&path, &[9]));
    assert_eq!(read(&path).unwrap(), [8]);
    assert_eq!(names(&path), PACK);
}

/// Whatever step a process is killed after, whoever opens the pack finds the old one, the new one or
/// that it is half replaced, and then it becomes the old one or the new one.
#[test]
fn killed_at_any_step() {
    let steps = [
        (Step::Written, false, 10),
        (Step::OldAway, true, 10),
        (Step::Tokens, true, 11),
        (Step::Starts, true, 11),
        (Step::Meta, false, 11),
    ];
    for (last, is_half_replaced, expected) in steps {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::write(path.join("vocab.json"), "mine").unwrap();
        write(path, &[10]);
        let mut seen = Vec::new();
        let killed = filled(path, &[11]).commit(&mut |step| {
            seen.push(step);
            step != last
        });
        killed.unwrap();
        assert_eq!(seen.last(), Some(&last));
        match read(path) {
            Ok(tokens) if !is_half_replaced => assert_eq!(tokens, [expected], "{last:?}"),
            Err(OpenPackError::HalfReplaced { .. }) if is_half_replaced => {}
            read => panic!("after {last:?}: {read:?}"),
        }
        assert!(!is_unfinished(path), "{last:?}");
        // By the next writer, even if it comes to nothing, or without one.
        match expected {
            10 => drop(writer(path)),
            _ => recover(path).unwrap(),
        }
        assert_eq!(read(path).unwrap(), [expected], "{last:?}");
        assert_eq!(names(path), [&PACK[..], &["vocab.json"]].concat());
        write(path, &[12, 13]);
        assert_eq!(read(path).unwrap(), [12, 13]);
    }
}

/// The new files are gone with the writer that failed, so that there is neither pack.
#[test]
#[cfg(target_os = "linux")]
fn a_writer_that_fails_between_two_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, &[10]);
    let replaced = filled(path, &[11]).commit(&mut |step| {
        if step == Step::Tokens {
            fs::remove_file(path.join(STARTS_NAME)).unwrap();
            fs::create_dir(path.join(STARTS_NAME)).unwrap();
        }
        true
    });
    assert!(replaced.is_err());
    let text = format!(
        "{}: the pack is half replaced: its writer is at work, was killed or failed",
        path.display()
    );
    assert_eq!(read(path).unwrap_err().to_string(), text);
    recover(path).unwrap();
    assert!(matches!(read(path), Err(OpenPackError::NoMeta { .. })));
    fs::remove_dir(path.join(STARTS_NAME)).unwrap();
    write(path, &[12]);
    assert_eq!(read(path).unwrap(), [12]);
}

#[test]
fn where_nothing_was_left_nothing_is_recovered() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("starts.npy"), "mine").unwrap();
    recover(path).unwrap();
    assert_eq!(names(path), ["starts.npy"]);
    #[cfg(unix)]
    {
        write(path, &[10]);
        let _at_work = filled(path, &[11]);
        let busy = recover(path).unwrap_err();
        assert!(matches!(busy, WritePackError::Busy { .. }));
    }
}

/// Killed where no pack was before: the next writer may begin anew, and takes away what is no pack.
#[test]
fn a_first_pack_that_is_killed() {
    for (last, expected) in [
        (Step::Written, true),
        (Step::OldAway, true),
        (Step::Tokens, true),
        (Step::Starts, true),
        (Step::Meta, false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        assert!(!is_unfinished(path) && !is_unfinished(path.join("nothing")));
        filled(path, &[11])
            .commit(&mut |step| step != last)
            .unwrap();
        assert_eq!(is_unfinished(path), expected, "{last:?}");
        drop(writer(path));
        assert!(!is_unfinished(path), "{last:?}");
        let left: &[&str] = if expected { &[] } else { &PACK };
        assert_eq!(names(path), left, "{last:?}");
    }
}

/// A reader at every step of a writer, as if it opened the pack between two of its system calls.
#[test]
fn a_pack_that_is_replaced_while_it_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, &[10]);
    let mut found = Vec::new();
    let replaced = filled(path, &[11]).commit(&mut |_| {
        found.push(read(path).ok());
        true
    });
    replaced.unwrap();
    let (old, new) = (Some(vec![10]), Some(vec![11]));
    assert_eq!(found, [old, None, None, None, new]);
}

/// The new pack has as many games and tokens, so that nothing but `meta.json` itself tells them apart.
#[test]
fn readers_beside_a_writer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let game = |number: u16| vec![number; 300];
    write(path, &game(10));
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            for number in 11..if cfg!(miri) { 12 } else { 60 } {
                write(path, &game(number));
            }
        });
        let mut opened = 0;
        while !writing.is_finished() || opened == 0 {
            match read(path) {
                Ok(tokens) => {
                    assert_eq!(tokens, game(tokens[0]), "of two packs");
                    opened += 1;
                }
                Err(OpenPackError::HalfReplaced { .. } | OpenPackError::Replaced { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
    });
}

#[test]
#[cfg(unix)]
fn a_second_writer_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let first = filled(path, &[10]);
    let second = PackWriter::create(path, &NAMED, ["games.pgn"]);
    assert_eq!(
        second.unwrap_err().to_string(),
        format!(
            "{}: another writer is at work in the folder",
            path.display()
        )
    );
    first.finish().unwrap();
    assert_eq!(read(path).unwrap(), [10]);
    write(path, &[11]);
}

#[test]
fn games_that_are_none_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = filled(folder.path(), &[10]);
    let mut text = |tokens: &[u16]| writer.push(tokens).unwrap_err().to_string();
    let short = "game 1 has 1 tokens, expected <bos> and <eos> at least";
    assert_eq!(text(&[1]), short);
    assert_eq!(
        text(&[3, 2]),
        "game 1 begins with token 3, expected 1, <bos>"
    );
    assert_eq!(text(&[1, 9]), "game 1 ends with token 9, expected 2, <eos>");
    assert_eq!(
        text(&[1, 2030, 2]),
        "token 1 of game 1 is 2030, expected under 2030, the size of the vocabulary"
    );
    writer.push(&[1, 2029, 2]).unwrap();
    assert_eq!(writer.finish().unwrap().n_tokens, 6);
}

#[test]
fn what_cannot_be_begun() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pack");
    let error = |tokenizer: &Named, sources: &[&str]| {
        PackWriter::create(&path, tokenizer, sources).unwrap_err()
    };
    let size = error(&Named(65_537, HASH), &["a"]);
    assert_eq!(size.to_string(), "the tokenizer cannot make a pack");
    assert_eq!(
        size.source().unwrap().to_string(),
        "vocab_size is 65537, expected 3 to 65536"
    );
    let hash = error(&Named(2030, "no hash"), &["a"]);
    assert_eq!(
        hash.source().unwrap().to_string(),
        "vocab_hash is \"no hash\", expected 64 digits 0 to 9 and a to f"
    );
    assert_eq!(error(&NAMED, &[]).to_string(), "there are no sources");
    assert_eq!(
        error(&NAMED, &["a", ""]).to_string(),
        "the label of source 1 is empty"
    );
    assert!(!path.exists(), "nothing was begun");
    fs::write(&path, "a file").unwrap();
    assert_eq!(
        error(&NAMED, &["a"]).to_string(),
        if cfg!(unix) {
            format!("{}: the folder cannot be used", path.display())
        } else {
            format!(
                "{}: cannot be created in its folder",
                path.join(TOKENS_NAME).display()
            )
        }
    );
    let all = PackWriter::create(folder.path(), &Named(65_536, HASH), ["a", "b[0:9]"]);
    assert_eq!(all.unwrap().finish().unwrap().source, "a+b[0:9]");
}

#[test]
#[cfg(target_os = "linux")]
fn a_pack_whose_file_cannot_be_replaced_is_put_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, &[10]);
    let replaced = filled(path, &[11]).commit(&mut |step| {
        if step == Step::OldAway {
            // A folder cannot be replaced by a file.
            fs::rename(path.join(TOKENS_NAME), path.join("kept")).unwrap();
            fs::create_dir(path.join(TOKENS_NAME)).unwrap();
        }
        true
    });
    let text = format!(
        "{}: cannot be put in place",
        path.join(TOKENS_NAME).display()
    );
    assert_eq!(replaced.unwrap_err().to_string(), text);
    fs::remove_dir(path.join(TOKENS_NAME)).unwrap();
    fs::rename(path.join("kept"), path.join(TOKENS_NAME)).unwrap();
    assert_eq!(read(path).unwrap(), [10]);
    assert_eq!(names(path), PACK);
}

#[test]
#[cfg(unix)]
fn permissions_are_kept() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[10]);
    for name in PACK {
        let permissions = fs::Permissions::from_mode(0o640);
        fs::set_permissions(folder.path().join(name), permissions).unwrap();
    }
    write(folder.path(), &[11]);
    for name in PACK {
        let metadata = fs::metadata(folder.path().join(name)).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o777, 0o640, "{name}");
    }
}

#[test]
fn temporary_files_are_told_by_their_names() {
    for name in [
        ".tokens.npy.7-0.tmp",
        ".starts.npy.7-12.tmp",
        ".meta.json.old.tmp",
    ] {
        assert!(temporary_of(name).is_some(), "{name}");
    }
    for name in [
        "tokens.npy",
        ".vocab.json.7-0.tmp",
        "tokens.npy.7-0.tmp",
        ".tokens.npy.tmp",
    ] {
        assert!(temporary_of(name).is_none(), "{name}");
    }
}

#[test]
fn labels() {
    let label = |path: &str| source_label(Path::new(path), None);
    assert_eq!(label("/a/b/games.parquet"), "b/games.parquet");
    assert_eq!(label("games.pgn"), "games.pgn");
    assert_eq!(label("/games.pgn"), "games.pgn");
    let part = source_label(Path::new("b/games.parquet"), Some(10..20));
    assert_eq!(part, "b/games.parquet[10:20]");
}
