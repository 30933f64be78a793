//! Files and sets of shards, in every way they can be opened.
#![cfg(feature = "meta")]
// Helpers of tests fail by panicking.
#![allow(missing_docs, clippy::unwrap_used, unsafe_code)]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chess_records::{
    Dataset, Loader, LoaderConfig, Mode, Order, Permutation, Sampler, SamplerConfig,
};
use chess_shards::{
    FlatColumns, FlatColumnsDataset, FlatDataset, FlatPositions, FlatRecord, NpyHeader,
    ShardOptions, ShardSet, SplitName,
};

fn golden(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("tests/golden").join(name)
}

/// Shards of so many rows, each row with its number at the start; and the rows.
fn shards(folder: &Path, rows: &[usize]) -> (Vec<PathBuf>, Vec<FlatRecord>) {
    let (mut paths, mut all) = (Vec::new(), Vec::new());
    for (shard, &rows) in rows.iter().enumerate() {
        let mut bytes = NpyHeader::to_bytes(rows as u64);
        for _ in 0..rows {
            let mut row = [0; 202];
            row[..8].copy_from_slice(&(all.len() as u64).to_le_bytes());
            row[8..].fill(all.len() as u8);
            all.push(FlatRecord::from_bytes(&row));
            bytes.extend(row);
        }
        let path = folder.join(format!("shard_{shard:04}.npy"));
        fs::write(&path, bytes).unwrap();
        paths.push(path);
    }
    (paths, all)
}

/// The same shards in every way.
fn ways(paths: &[PathBuf]) -> Vec<(String, FlatDataset)> {
    let mut ways = Vec::new();
    for threads in [1, 3] {
        for max_open in [512, 2] {
            let options = ShardOptions::new().threads(threads).max_open(max_open);
            let opened = FlatDataset::open(paths, &options).unwrap();
            ways.push((format!("read, {threads} threads, {max_open} open"), opened));
            #[cfg(feature = "mmap")]
            for regime in [
                chess_shards::Regime::Cached,
                chess_shards::Regime::Cold,
                chess_shards::Regime::Pread,
                chess_shards::Regime::Auto,
            ] {
                // SAFETY: the tests leave their files alone while they are mapped.
                let mapped = unsafe { FlatDataset::map(paths, &options, regime) }.unwrap();
                let name = format!("{regime}, {threads} threads, {max_open} open");
                ways.push((name, mapped));
            }
        }
    }
    let options = ShardOptions::new().in_memory(true);
    let memory = FlatDataset::open(paths, &options).unwrap();
    assert_eq!(memory.regime().to_string(), "all rows are in memory");
    ways.push(("memory".into(), memory));
    ways
}

#[test]
fn any_order_comes_back_in_every_way() {
    let folder = tempfile::tempdir().unwrap();
    let (paths, all) = shards(folder.path(), &[700, 0, 1, 2500, 64]);
    let orders: Vec<Vec<u64>> = vec![
        vec![],
        vec![3264],
        vec![0; 40],
        Permutation::new(3265, 7).iter().collect(),
        Permutation::new(20_000, 8)
            .iter()
            .map(|i| i % 3265)
            .collect(),
        (0..3265).rev().collect(),
    ];
    for (name, dataset) in ways(&paths) {
        assert_eq!(dataset.len(), 3265);
        let mut batch = vec![FlatRecord::zeroed(); 5];
        let mut columns = FlatColumns::default();
        for order in &orders {
            let expected: Vec<_> = order.iter().map(|&i| all[i as usize]).collect();
            dataset.gather(order, &mut batch).unwrap();
            assert!(batch == expected, "{name}");
            dataset.gather_columns(order, &mut columns).unwrap();
            assert!(columns == expected.iter().collect(), "{name}, columns");
            let mut bytes = vec![0; 202 * order.len()];
            dataset.gather_bytes(order, &mut bytes).unwrap();
            let plain: Vec<u8> = expected.iter().flat_map(|row| row.to_bytes()).collect();
            assert!(bytes == plain, "{name}, bytes");
        }
        assert_eq!(dataset.get(701).unwrap(), all[701]);
        assert_eq!(dataset.locate(701), Some((&*paths[3], 0)));
        assert_eq!(dataset.locate(3265), None);
    }
}

#[test]
fn indices_past_the_end_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let (paths, _) = shards(folder.path(), &[40, 2, 60]);
    for (name, dataset) in ways(&paths) {
        let mut batch = Vec::new();
        for far in [102, u64::MAX] {
            let mut indices = vec![5; 60];
            indices[41] = far;
            let error = dataset.gather(&indices, &mut batch).unwrap_err();
            let text = format!("sample {far} asked for, the dataset holds 102");
            assert_eq!(error.to_string(), text, "{name}");
            assert_eq!(dataset.get(far).unwrap_err().to_string(), text, "{name}");
        }
        // The first of several.
        let error = dataset.gather(&[0, 500, 400], &mut batch).unwrap_err();
        assert!(error.to_string().starts_with("sample 500 "), "{name}");
    }
}

#[test]
fn blocks_lie_in_one_shard_and_hold_everything() {
    let folder = tempfile::tempdir().unwrap();
    let each = FlatDataset::ROWS_PER_BLOCK as usize;
    let (paths, _) = shards(folder.path(), &[0, each + 1, 0, each, 5, 0]);
    let dataset = FlatDataset::open(&paths, &ShardOptions::new()).unwrap();
    let blocks: Vec<_> = (0..dataset.block_count())
        .map(|block| dataset.block(block))
        .collect();
    let each = each as u64;
    assert_eq!(
        blocks,
        [
            0..each,
            each..each + 1,
            each + 1..2 * each + 1,
            2 * each + 1..2 * each + 6
        ]
    );
    assert_eq!(dataset.game_start(0), Some(true));
    assert_eq!(dataset.game_start(1), None);
    assert_eq!(dataset.game_start(each + 1), Some(true));
}

fn golden_train() -> FlatDataset {
    let set = ShardSet::open(golden("flat")).unwrap();
    set.split(SplitName::Train, &ShardOptions::new()).unwrap()
}

#[test]
fn ranks_together_have_exactly_the_split() {
    let dataset = golden_train();
    for order in [
        Order::Shuffled,
        Order::Blocks { window: 2 },
        Order::Sequential,
    ] {
        let mut seen = Vec::new();
        for rank in 0..3 {
            let config = SamplerConfig::new(50)
                .seed(3)
                .order(order)
                .mode(Mode::Exact);
            let sampler = Sampler::new(&dataset, config.rank(rank, 3)).unwrap();
            for selection in sampler {
                seen.extend_from_slice(selection.samples());
            }
        }
        seen.sort_unstable();
        assert!(seen.iter().copied().eq(0..dataset.len()), "{order}");
    }
}

#[test]
fn loaders_go_on_exactly_where_they_were() {
    let dataset = Arc::new(FlatColumnsDataset::new(Arc::new(golden_train())));
    let config = SamplerConfig::new(64).seed(5);
    let batches = |threads: usize, state| {
        let mut sampler = Sampler::new(Arc::clone(&dataset), config).unwrap();
        if let Some(state) = state {
            sampler.restore(&state).unwrap();
        }
        let loader = Loader::new(sampler, LoaderConfig::new(threads)).unwrap();
        loader.map(Result::unwrap).collect::<Vec<_>>()
    };
    let whole = batches(0, None);
    assert_eq!(
        whole.iter().map(|batch| batch.data.len()).sum::<usize>(),
        364
    );
    assert_eq!(batches(2, None), whole);
    let rest = batches(2, Some(whole[2].state));
    assert_eq!(rest, whole[3..]);
}

#[test]
fn positions_mix_with_those_of_other_formats() {
    let dataset = golden_train();
    let indices: Vec<u64> = (0..dataset.len()).collect();
    let mut records = Vec::new();
    dataset.gather(&indices, &mut records).unwrap();
    let positions = FlatPositions::new(dataset);
    let boxed: Box<dyn Dataset<Batch = Vec<chess_records::LabelledPosition>>> = Box::new(positions);
    let mut batch = Vec::new();
    boxed.gather(&indices, &mut batch).unwrap();
    for (record, labelled) in records.iter().zip(&batch) {
        assert_eq!(record.decode().unwrap(), *labelled);
    }
}

#[test]
fn positions_that_are_none_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let (paths, _) = shards(folder.path(), &[3, 3]);
    let dataset = FlatDataset::open(&paths, &ShardOptions::new()).unwrap();
    let error = FlatPositions::new(dataset).gather(&[4], &mut Vec::new());
    let error = error.unwrap_err();
    assert_eq!(error.to_string(), paths[1].display().to_string());
    let record = error.source().unwrap();
    assert_eq!(record.to_string(), "record 1 at byte 586");
}

#[test]
fn sets_and_splits() {
    let set = ShardSet::open(golden("flat")).unwrap();
    assert_eq!(set.folder(), golden("flat"));
    let options = ShardOptions::new();
    let len = |split| set.split(split, &options).unwrap().len();
    assert_eq!(
        [
            len(SplitName::Train),
            len(SplitName::Val),
            len(SplitName::Test)
        ],
        [364, 188, 176]
    );
    let all = set.all(&options).unwrap();
    assert_eq!(all.len(), set.meta().num_samples);
    let train = set.split(SplitName::Train, &options).unwrap();
    let (last, _) = train.files().last().unwrap();
    assert!(last.ends_with("shard_0003.npy"));
    assert_eq!(train.get(363).unwrap(), all.get(727).unwrap());
    #[cfg(feature = "mmap")]
    {
        // SAFETY: nobody changes the golden files.
        let mapped = unsafe { set.map_all(&options, chess_shards::Regime::Auto) }.unwrap();
        assert!(mapped.regime().measured.is_some());
        assert_eq!(mapped.get(727).unwrap(), all.get(727).unwrap());
        // SAFETY: as above.
        let val = unsafe { set.map_split(SplitName::Val, &options, chess_shards::Regime::Cold) };
        assert_eq!(val.unwrap().len(), 188);
    }
}

/// A copy of a golden set.
fn copy_of(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(golden(name)).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    folder
}

#[test]
fn files_that_do_not_fit_are_named() {
    let folder = copy_of("flat");
    let set = ShardSet::open(folder.path()).unwrap();
    let shard = folder.path().join("shard_0002.npy");
    let bytes = fs::read(&shard).unwrap();
    let text = |bytes: &[u8]| {
        fs::write(&shard, bytes).unwrap();
        let error = set
            .split(SplitName::Test, &ShardOptions::new())
            .unwrap_err();
        // Other splits are not harmed.
        assert!(set.split(SplitName::Train, &ShardOptions::new()).is_ok());
        let name = format!("{}: ", shard.display());
        let text = error.to_string();
        let source = error.source().map(ToString::to_string);
        (
            text.strip_prefix(&name).unwrap().to_owned(),
            source.unwrap_or_default(),
        )
    };
    assert_eq!(
        text(&bytes[..35_935]).0,
        "has 35935 bytes, expected 35936 for its 176 rows"
    );
    let more = [&bytes[..], &[0]].concat();
    assert_eq!(
        text(&more).0,
        "has 35937 bytes, expected 35936 for its 176 rows"
    );
    let fewer = [NpyHeader::to_bytes(1), bytes[384..586].to_vec()].concat();
    assert_eq!(text(&fewer).0, "has 1 rows, expected 176 as in meta.json");
    assert_eq!(
        text(b"PK"),
        (
            "is no shard".into(),
            "the file ends after 2 bytes, inside its header of 6".into()
        )
    );
    assert!(text(&[7; 300]).1.starts_with("the file begins with 07 07 "));
    fs::remove_file(&shard).unwrap();
    let error = set
        .split(SplitName::Test, &ShardOptions::new())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{}: no such file, nor one with .zst added", shard.display())
    );
    fs::create_dir(&shard).unwrap();
    let error = set
        .split(SplitName::Test, &ShardOptions::new())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{}: cannot be read", shard.display())
    );
    fs::remove_file(folder.path().join("meta.json")).unwrap();
    let error = ShardSet::open(folder.path()).unwrap_err();
    assert!(error.to_string().ends_with("meta.json: cannot be read"));
}

#[test]
fn a_file_cut_under_an_open_reader_is_an_error() {
    for max_open in [8, 1] {
        let folder = tempfile::tempdir().unwrap();
        let (paths, all) = shards(folder.path(), &[50, 50]);
        let options = ShardOptions::new().max_open(max_open);
        let dataset = FlatDataset::open(&paths, &options).unwrap();
        let memory = FlatDataset::open(&paths, &options.in_memory(true)).unwrap();
        let mut batch = Vec::new();
        dataset.gather(&[49, 99], &mut batch).unwrap();
        let file = fs::OpenOptions::new().write(true).open(&paths[1]).unwrap();
        file.set_len(384 + 202 * 20 + 7).unwrap();
        dataset.gather(&[49, 69], &mut batch).unwrap();
        let error = dataset.gather(&[49, 70], &mut batch).unwrap_err();
        assert_eq!(error.to_string(), paths[1].display().to_string());
        let record = error.source().unwrap();
        assert_eq!(record.to_string(), "record 20 at byte 4424");
        assert_eq!(
            record.source().unwrap().to_string(),
            "the file ends before the end of the row, it has become shorter"
        );
        assert_eq!(memory.get(99).unwrap(), all[99]);
        #[cfg(not(windows))]
        if max_open == 1 {
            dataset.get(0).unwrap();
            fs::remove_file(&paths[1]).unwrap();
            let error = dataset.get(60).unwrap_err();
            let row = error.source().unwrap().source().unwrap();
            assert_eq!(row.to_string(), "the row cannot be read");
        }
    }
}

#[cfg(feature = "mmap")]
#[test]
fn a_file_cut_before_it_is_mapped_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (paths, _) = shards(folder.path(), &[50, 50]);
    // SAFETY: the file is cut before the first row of it is looked at, and so before it is mapped.
    let dataset =
        unsafe { FlatDataset::map(&paths, &ShardOptions::new(), chess_shards::Regime::Cached) };
    let dataset = dataset.unwrap();
    let file = fs::OpenOptions::new().write(true).open(&paths[1]).unwrap();
    file.set_len(4424).unwrap();
    assert!(dataset.get(49).is_ok());
    let error = dataset.get(50).unwrap_err();
    let row = error.source().unwrap().source().unwrap();
    assert_eq!(
        row.to_string(),
        "the file has 4424 bytes, but 10484 when it was opened"
    );
    assert!(matches!(error, chess_records::DatasetError::Source { .. }));
}

#[test]
fn compressed_shards_are_refused_unless_told_otherwise() {
    let set = ShardSet::open(golden("flat-edge-elo")).unwrap();
    let error = set.all(&ShardOptions::new()).unwrap_err();
    assert!(error.to_string().ends_with(
        "shard_0000.npy.zst: is compressed; decompress it, or say where to with \
         ShardOptions::compressed"
    ));
    #[cfg(not(feature = "zstd"))]
    {
        let options = ShardOptions::new().compressed(chess_shards::Compressed::Memory);
        let error = set.all(&options).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("shard_0000.npy.zst: is compressed, and this build has no feature zstd")
        );
    }
}

#[cfg(feature = "zstd")]
mod compressed {
    use super::*;
    use chess_shards::{Compressed, ShardProgress};
    use std::collections::BTreeSet;
    use std::sync::Mutex;

    /// A golden set without the plain forms of what it has compressed too; and the rows.
    fn without_plain() -> (tempfile::TempDir, Vec<FlatRecord>) {
        let folder = copy_of("flat");
        let set = ShardSet::open(folder.path()).unwrap();
        let all = set.all(&ShardOptions::new()).unwrap();
        let rows = (0..all.len())
            .map(|index| all.get(index).unwrap())
            .collect();
        for name in ["shard_0000.npy", "shard_0001.npy"] {
            fs::remove_file(folder.path().join(name)).unwrap();
        }
        (folder, rows)
    }

    fn rows(dataset: &FlatDataset) -> Vec<FlatRecord> {
        let indices: Vec<u64> = (0..dataset.len()).collect();
        let mut rows = Vec::new();
        dataset.gather(&indices, &mut rows).unwrap();
        rows
    }

    #[test]
    fn into_memory() {
        let (folder, expected) = without_plain();
        let set = ShardSet::open(folder.path()).unwrap();
        let options = ShardOptions::new().compressed(Compressed::Memory);
        assert!(rows(&set.all(&options).unwrap()) == expected);
        let options = options.max_open(1).threads(3);
        assert!(rows(&set.all(&options).unwrap()) == expected);
        #[cfg(feature = "mmap")]
        for max_open in [1, 8] {
            let options = options.clone().max_open(max_open);
            // SAFETY: nobody changes the files.
            let mapped = unsafe { set.map_all(&options, chess_shards::Regime::Cold) };
            assert!(rows(&mapped.unwrap()) == expected);
        }
    }

    #[test]
    fn into_a_folder_once() {
        let (folder, expected) = without_plain();
        let set = ShardSet::open(folder.path()).unwrap();
        let cache = folder.path().join("a/cache");
        let told = Arc::new(Mutex::new(Vec::<ShardProgress>::new()));
        let tell = Arc::clone(&told);
        let options = ShardOptions::new()
            .compressed(Compressed::Folder(cache.clone()))
            .progress(move |progress| tell.lock().unwrap().push(progress.clone()));
        let dataset = set.all(&options).unwrap();
        assert!(rows(&dataset) == expected);
        assert!(dataset.files().next().unwrap().0.starts_with(&cache));
        let told_once = told.lock().unwrap().clone();
        assert_eq!(told_once.len(), 2);
        assert!(told_once[0].path.ends_with("shard_0000.npy.zst"));
        assert_eq!((told_once[1].bytes, told_once[1].total), (38_360, 38_360));
        // What is there is used again, and the plain forms are byte for byte numpy's.
        assert!(rows(&set.all(&options).unwrap()) == expected);
        assert_eq!(told.lock().unwrap().len(), 2);
        let mut files: Vec<_> = fs::read_dir(&cache)
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect();
        files.sort();
        assert_eq!(files.len(), 2);
        let plain = fs::read(golden("flat/shard_0000.npy")).unwrap();
        assert!(fs::read(&files[0]).unwrap() == plain);
        // Unless it is damaged.
        fs::write(&files[0], b"half").unwrap();
        assert!(rows(&set.all(&options).unwrap()) == expected);
        assert_eq!(told.lock().unwrap().len(), 3);
        // The plain file wins.
        fs::copy(
            golden("flat/shard_0000.npy"),
            folder.path().join("shard_0000.npy"),
        )
        .unwrap();
        let dataset = set.all(&options).unwrap();
        assert_eq!(
            dataset.files().next().unwrap().0,
            folder.path().join("shard_0000.npy")
        );
    }

    #[test]
    fn damage_is_named() {
        let (folder, _) = without_plain();
        let set = ShardSet::open(folder.path()).unwrap();
        let shard = folder.path().join("shard_0001.npy.zst");
        let sound = fs::read(&shard).unwrap();
        let plain = fs::read(golden("flat/shard_0001.npy")).unwrap();
        let error = |bytes: &[u8]| {
            fs::write(&shard, bytes).unwrap();
            let cache = folder.path().join("cache");
            let mut texts = BTreeSet::new();
            for compressed in [Compressed::Memory, Compressed::Folder(cache.clone())] {
                let options = ShardOptions::new().compressed(compressed);
                let error = set.split(SplitName::Val, &options).unwrap_err();
                texts.insert(error.to_string());
            }
            assert_eq!(texts.len(), 1, "{texts:?}");
            assert_eq!(
                fs::read_dir(&cache).unwrap().count(),
                0,
                "nothing is left behind"
            );
            let text = texts.pop_first().unwrap();
            text.strip_prefix(&format!("{}: ", shard.display()))
                .unwrap()
                .to_owned()
        };
        assert_eq!(error(b"no zstd"), "cannot be decompressed");
        assert_eq!(error(&sound[..sound.len() / 2]), "cannot be decompressed");
        let pack = |bytes: &[u8]| zstd::encode_all(bytes, 3).unwrap();
        assert_eq!(
            error(&pack(&plain[..38_359])),
            "has 38359 bytes, expected 38360 for its 188 rows"
        );
        assert_eq!(
            error(&pack(&[&plain[..], &[1, 2]].concat())),
            "has 38361 bytes, expected 38360 for its 188 rows"
        );
        let huge = NpyHeader::to_bytes(1 << 50);
        assert_eq!(
            error(&pack(&huge)),
            "has 1125899906842624 rows, expected 188 as in meta.json"
        );
        assert_eq!(error(&pack(b"something else")), "is no shard");
        // Without a description, a header alone takes no memory.
        fs::write(&shard, pack(&huge)).unwrap();
        let options = ShardOptions::new().compressed(Compressed::Memory);
        let plain = folder.path().join("shard_0001.npy");
        let opened = FlatDataset::open([&plain], &options);
        assert!(
            opened
                .unwrap_err()
                .to_string()
                .ends_with("zst: cannot be decompressed")
        );
        let blocked = folder.path().join("meta.json/cache");
        let options = ShardOptions::new().compressed(Compressed::Folder(blocked));
        let error = FlatDataset::open([&plain], &options).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("meta.json/cache: the folder cannot be made")
        );
    }
}
