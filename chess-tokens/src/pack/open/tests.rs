use super::*;
use crate::Scheme;
use crate::pack::writer::tests::Named;
use crate::tokenizer::{BOS, EOS};
use std::error::Error;

const META: &str = include_str!("../../../tests/golden/edge-uci/meta.json");
const TOKENS: &[u8] = include_bytes!("../../../tests/golden/edge-uci/tokens.npy");
const STARTS: &[u8] = include_bytes!("../../../tests/golden/edge-uci/starts.npy");

type Open = fn(&Path) -> Result<TokenPack, OpenPackError>;

/// Every way to open a pack.
const WAYS: &[Open] = &[
    |folder| TokenPack::read(folder),
    #[cfg(feature = "mmap")]
    |folder| {
        // SAFETY: the tests leave their files alone while they are mapped.
        unsafe { TokenPack::map(folder) }
    },
];

/// Opens a pack of these files in every way.
fn each(
    meta: &str,
    tokens: &[u8],
    starts: &[u8],
    check: impl Fn(&Path, Result<TokenPack, OpenPackError>),
) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("meta.json"), meta).unwrap();
    fs::write(path.join("tokens.npy"), tokens).unwrap();
    fs::write(path.join("starts.npy"), starts).unwrap();
    for open in WAYS {
        check(path, open(path));
    }
    let from_bytes = TokenPack::from_bytes(meta, tokens, starts);
    check(Path::new(""), from_bytes);
}

/// What opening these files fails of: the error and what it came from.
fn refused(meta: &str, tokens: &[u8], starts: &[u8], name: &str, text: &str, source: Option<&str>) {
    each(meta, tokens, starts, |folder, pack| {
        let error = pack.unwrap_err();
        let expected = format!("{}{text}", folder.join(name).display());
        assert_eq!(error.to_string(), expected);
        let found = error.source().map(ToString::to_string);
        assert_eq!(found.as_deref(), source);
    });
}

/// The starts with one of them replaced.
fn with_start(game: usize, start: i64) -> Vec<u8> {
    let mut bytes = STARTS.to_vec();
    bytes[128 + 8 * game..][..8].copy_from_slice(&start.to_le_bytes());
    bytes
}

fn with_token(index: usize, token: u16) -> Vec<u8> {
    let mut bytes = TOKENS.to_vec();
    bytes[128 + 2 * index..][..2].copy_from_slice(&token.to_le_bytes());
    bytes
}

#[test]
fn games_are_found() {
    each(META, TOKENS, STARTS, |folder, pack| {
        let pack = pack.unwrap();
        assert_eq!(pack.folder(), folder);
        assert_eq!((pack.len(), pack.tokens().len()), (12, 172));
        assert_eq!(pack.starts()[..3], [0, 15, 35]);
        let game = pack.game(0).unwrap().unwrap();
        assert_eq!((game.len(), game[0], game[14]), (15, BOS, EOS));
        let whole: Vec<u16> = (0..12)
            .flat_map(|i| pack.game(i).unwrap().unwrap().to_vec())
            .collect();
        assert_eq!(whole, pack.tokens());
        assert_eq!(pack.game(12).unwrap(), None);
        assert_eq!(pack.game(u64::MAX).unwrap(), None);
        assert_eq!(pack.game_header(12).unwrap(), None);
        assert_eq!(pack.verify().next(), None);
    });
}

#[test]
fn counts_and_lengths() {
    let tokens = &TOKENS[..TOKENS.len() - 1];
    let text = ": has 471 bytes, expected 472 for its 172 rows";
    refused(META, tokens, STARTS, "tokens.npy", text, None);
    let longer = [STARTS, &[0]].concat();
    let text = ": has 225 bytes, expected 224 for its 12 rows";
    refused(META, TOKENS, &longer, "starts.npy", text, None);
    let meta = META.replace("172", "171");
    let text = ": has 172 rows, expected 171 as in meta.json";
    refused(&meta, TOKENS, STARTS, "tokens.npy", text, None);
    let meta = META.replace("12,", "13,");
    let text = ": has 12 rows, expected 13 as in meta.json";
    refused(&meta, TOKENS, STARTS, "starts.npy", text, None);
}

#[test]
fn other_arrays() {
    let source = "the items are '<u2', expected '<i8'";
    refused(META, TOKENS, TOKENS, "starts.npy", "", Some(source));
    let source = "the file ends after 9 bytes, inside its header of 10";
    refused(META, &TOKENS[..9], STARTS, "tokens.npy", "", Some(source));
}

#[test]
fn ends_that_cannot_be() {
    let first = with_start(0, 1);
    let text = ": row 0 at byte 128";
    let source = "the first game starts at token 1, expected 0";
    refused(META, TOKENS, &first, "starts.npy", text, Some(source));
    for start in [172, -1, i64::MAX] {
        let last = with_start(11, start);
        let text = ": row 11 at byte 216";
        let source = format!("the game starts at token {start} of 172");
        refused(META, TOKENS, &last, "starts.npy", text, Some(&source));
    }
}

#[test]
fn starts_inside() {
    each(META, TOKENS, &with_start(2, 15), |folder, pack| {
        let pack = pack.unwrap();
        let fault = pack.game(1).unwrap_err();
        let path = folder.join("starts.npy");
        assert_eq!(
            fault.to_string(),
            format!("{}: row 2 at byte 144", path.display())
        );
        assert_eq!((fault.index, fault.byte_offset), (2, 144));
        let text = "the game starts at token 15, expected one after 15, the start before";
        assert_eq!(fault.kind.to_string(), text);
        assert!(pack.game(0).is_ok());
        let faults: Vec<_> = pack.verify().collect();
        assert_eq!(faults[0], fault);
    });
    each(META, TOKENS, &with_start(2, 999), |_, pack| {
        let pack = pack.unwrap();
        let text = "the game starts at token 999 of 172";
        for game in [1, 2] {
            let fault = pack.game(game).unwrap_err();
            assert_eq!((fault.index, fault.kind.to_string().as_str()), (2, text));
        }
        assert_eq!(
            pack.verify().count(),
            2,
            "it and the one after, which does not ascend"
        );
    });
    // Between the others, but not where a game begins.
    each(META, TOKENS, &with_start(2, 30), |_, pack| {
        let faults: Vec<_> = pack
            .unwrap()
            .verify()
            .map(|fault| fault.kind.to_string())
            .collect();
        let expected = [
            "game 1 ends with token 1367, expected 2, <eos>",
            "game 2 begins with token 751, expected 1, <bos>",
        ];
        assert_eq!(faults, expected);
    });
}

#[test]
fn tokens_that_the_vocabulary_does_not_have() {
    each(META, &with_token(7, 2030), STARTS, |folder, pack| {
        let faults: Vec<_> = pack.unwrap().verify().collect();
        let path = folder.join("tokens.npy");
        let shown: Vec<_> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(shown, [format!("{}: row 7 at byte 142", path.display())]);
        assert_eq!(
            faults[0].kind.to_string(),
            "the token is 2030, expected under 2030, the size of the vocabulary"
        );
    });
    each(META, &with_token(7, 2029), STARTS, |_, pack| {
        assert_eq!(pack.unwrap().verify().next(), None);
    });
}

#[test]
fn faults_past_the_first_stretch() {
    let mut tokens = [BOS, 9, EOS].repeat(3000);
    (tokens[8999], tokens[5000]) = (u16::MAX, u16::MAX);
    let starts: Vec<i64> = (0..3000).map(|game| 3 * game).collect();
    let pack = crate::dataset::tests::pack_with(&starts, &tokens);
    // The vocabulary has all tokens.
    let faults: Vec<_> = pack.verify().map(|fault| fault.index).collect();
    assert_eq!(faults, [5000, 8999]);
}

#[test]
fn a_folder_without_a_pack() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("tokens.npy"), TOKENS).unwrap();
    for open in WAYS {
        assert_eq!(
            open(path).unwrap_err().to_string(),
            format!(
                "{}: is no pack, or an unfinished one: it has no meta.json",
                path.display()
            )
        );
        let missing = path.join("missing");
        let text = format!("{}: cannot be read", missing.join("meta.json").display());
        assert_eq!(open(&missing).unwrap_err().to_string(), text);
    }
    fs::write(path.join("meta.json"), META).unwrap();
    for open in WAYS {
        let text = format!("{}: cannot be read", path.join("starts.npy").display());
        assert_eq!(open(path).unwrap_err().to_string(), text);
    }
    fs::write(path.join("meta.json"), "{}").unwrap();
    for open in WAYS {
        let text = path.join("meta.json").display().to_string();
        assert_eq!(open(path).unwrap_err().to_string(), text);
    }
}

#[test]
fn a_pack_that_is_replaced_all_the_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let replace = || {
        let new = path.join("new");
        fs::write(&new, META).unwrap();
        fs::rename(&new, path.join("meta.json")).unwrap();
    };
    replace();
    let mut times = 0;
    let opened = while_unchanged(path, |_| {
        times += 1;
        replace();
        Ok(())
    });
    assert_eq!(
        opened.unwrap_err().to_string(),
        format!(
            "{}: was replaced 8 times while it was opened",
            path.display()
        )
    );
    assert_eq!(times, 8);
    // An error that comes of a replacement is none.
    let opened = while_unchanged(path, |meta| {
        times += 1;
        if times == 9 {
            replace();
            return Err(OpenPackError::NoMeta {
                folder: path.into(),
            });
        }
        Ok(meta.n_games)
    });
    assert_eq!(opened.unwrap(), 12);
}

/// A header of an odd length, as another program may write it, leaves the numbers where they cannot be
/// borrowed.
#[test]
fn numbers_that_are_not_aligned() {
    let odd = |bytes: &[u8]| {
        let mut odd = bytes[..127].to_vec();
        odd[8] -= 1;
        odd.extend(&bytes[128..]);
        odd[126] = b'\n';
        odd
    };
    each(META, &odd(TOKENS), &odd(STARTS), |_, pack| {
        let pack = pack.unwrap();
        assert_eq!(pack.verify().next(), None);
        assert_eq!(pack.starts()[..3], [0, 15, 35]);
    });
}

#[test]
fn tokenizers() {
    let hash = "527c5dda224cab570cb84da8f7dcda0f43fe53edaf86822f899568f5dd824b46";
    let pack = TokenPack::from_bytes(META, TOKENS, STARTS).unwrap();
    assert_eq!(pack.check_tokenizer(&Named(2030, hash)), Ok(()));
    let text = |tokenizer: &Named| pack.check_tokenizer(tokenizer).unwrap_err().to_string();
    assert_eq!(
        text(&Named(2031, hash)),
        ": has a vocabulary of 2030 tokens, the tokenizer one of 2031"
    );
    assert_eq!(
        text(&Named(2030, "another")),
        format!(": has a vocabulary of hash {hash}, the tokenizer one of another")
    );
    let san = TokenPack::from_bytes(META.replace("uci", "san"), TOKENS, STARTS).unwrap();
    let mismatch = san.check_tokenizer(&Named(2030, hash)).unwrap_err();
    assert_eq!(
        mismatch.to_string(),
        ": has scheme san, the tokenizer is uci"
    );
    assert_eq!(san.meta().scheme, Scheme::San);
}

/// Files that are worth pages of their own.
#[test]
#[cfg_attr(miri, ignore)]
fn a_large_pack() {
    let folder = tempfile::tempdir().unwrap();
    let hash = "527c5dda224cab570cb84da8f7dcda0f43fe53edaf86822f899568f5dd824b46";
    let tokenizer = Named(2030, hash);
    let mut writer = crate::pack::PackWriter::create(folder.path(), &tokenizer, ["large"]).unwrap();
    for game in 0..600_000u32 {
        let token = (62 + game % 1900) as u16;
        writer.push(&[BOS, token, token, EOS]).unwrap();
    }
    writer.finish().unwrap();
    for open in WAYS {
        let pack = open(folder.path()).unwrap();
        assert_eq!(pack.len(), 600_000);
        assert_eq!(pack.verify().next(), None);
        let expected = (62 + 599_999 % 1900) as u16;
        assert_eq!(
            pack.game(599_999).unwrap(),
            Some(&[BOS, expected, expected, EOS][..])
        );
    }
}
