//! Every seed passes the check of its folder, and nothing is left out.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use chess_data_fuzz::CHECKS;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<_> = listed.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn names(folder: &str) -> BTreeSet<String> {
    let stem = |path: PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
    entries(&root().join(folder))
        .into_iter()
        .map(stem)
        .collect()
}

fn checks() -> BTreeSet<String> {
    CHECKS.iter().map(|(name, _)| (*name).to_owned()).collect()
}

#[test]
fn every_seed_passes() {
    for (name, check) in CHECKS {
        let seeds = entries(&root().join("seeds").join(name));
        assert!(!seeds.is_empty(), "{name} has no seeds");
        for seed in seeds {
            // Shown when the check panics.
            println!("{}", seed.display());
            check(&fs::read(&seed).unwrap());
        }
    }
}

#[test]
fn every_check_takes_nothing_and_noise() {
    for (_, check) in CHECKS {
        check(&[]);
        for len in 0..300 {
            let noise = |index: u32| (index * index * 167 + len * 59 + 13) as u8;
            check(&(0..len).map(noise).collect::<Vec<_>>());
        }
    }
}

#[test]
fn every_folder_and_target_has_its_check() {
    assert_eq!(names("seeds"), checks(), "seeds/");
    assert_eq!(names("fuzz_targets"), checks(), "fuzz_targets/");
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let targets = manifest.split("[[bin]]").skip(1);
    let target_names = targets.map(|target| target.split('"').nth(1).unwrap().to_owned());
    assert_eq!(target_names.collect::<BTreeSet<_>>(), checks(), "[[bin]]");
}
