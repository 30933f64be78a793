use super::*;

fn job() -> Job {
    let input = InputFile::new(
        "fetch/2025-05/games.parquet",
        3,
        super::super::FileHash::of_bytes(b"abc"),
    );
    Job::new("filter")
        .month("2025-05".parse().unwrap())
        .setting("min_elo", 1800)
        .inputs([input])
}

fn unfinished(opened: Result<Opened, ManifestError>) -> StageFolder {
    match opened.unwrap() {
        Opened::Unfinished(folder) => folder,
        Opened::Finished(_) => panic!("it is finished"),
    }
}

fn is_finished(folder: &Path, job: &Job) -> bool {
    matches!(
        StageFolder::open(folder, job, false).unwrap(),
        Opened::Finished(_)
    )
}

/// Does the work, and leaves it finished.
fn work(folder: &Path, job: &Job, overwrite: impl Into<Overwrite>) -> Manifest {
    let mut stage = unfinished(StageFolder::open(folder, job, overwrite));
    fs::write(stage.file("games.parquet"), "games").unwrap();
    stage.add_file("games.parquet", Some(2)).unwrap();
    stage.manifest_mut().counts.read = 3;
    stage.manifest_mut().counts.kept = 2;
    stage.manifest_mut().counts.leave_out("elo", 1);
    stage.finish().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn finished_work_is_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("filter");
    assert!(matches!(
        Manifest::finished(&path),
        Err(ManifestError::Missing { .. })
    ));
    let manifest = work(&path, &job(), false);
    assert!(is_finished(&path, &job()));
    assert_eq!(Manifest::finished(&path).unwrap(), manifest);
    manifest.verify(&path).unwrap();
    assert_eq!(names(&path), ["games.parquet", "manifest.json"]);
    let text = fs::read_to_string(path.join("manifest.json")).unwrap();
    let expected =
        include_str!("tests/manifest.json").replace("VERSION", env!("CARGO_PKG_VERSION"));
    assert_eq!(text, expected);
}

#[test]
fn interrupted_work_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut stage = unfinished(StageFolder::open(path, &job(), false));
    fs::write(stage.file("part-00000.parquet"), "part").unwrap();
    stage.add_file("part-00000.parquet", None).unwrap();
    stage.set_notes(&7);
    stage.save().unwrap();
    fs::write(path.join(".games.parquet.7-0.tmp"), "half").unwrap();
    let error = StageFolder::open(path, &job(), false);
    if cfg!(unix) {
        let expected = format!("{}: another run is at work here", path.display());
        assert_eq!(error.unwrap_err().to_string(), expected);
    }
    drop(stage);
    let again = unfinished(StageFolder::open(path, &job(), false));
    assert_eq!(again.notes::<u32>(), Some(7));
    assert_eq!(again.notes::<String>(), None);
    let file = again.manifest().file("part-00000.parquet").unwrap();
    assert!(file.is_whole(path).unwrap());
    fs::write(path.join("part-00000.parquet"), "trap").unwrap();
    assert!(!file.is_whole(path).unwrap());
    assert_eq!(names(path), ["manifest.json", "part-00000.parquet"]);
    let error = Manifest::finished(path).unwrap_err().to_string();
    assert_eq!(
        error,
        format!("{}: stage filter is not finished", path.display())
    );
}

#[test]
fn other_work_is_refused_unless_it_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    work(path, &job(), false);
    let hash = super::super::FileHash::of_bytes(b"");
    let cases = [
        (
            Job {
                stage: "uci".into(),
                ..job()
            },
            "stage was filter, is now uci",
        ),
        (
            Job {
                month: None,
                ..job()
            },
            "month was 2025-05, is now none",
        ),
        (
            job().setting("min_elo", 2000),
            "min_elo was 1800, is now 2000",
        ),
        (
            job().setting("max_elo", 3000),
            "max_elo was not set, is now 3000",
        ),
        (
            job().inputs([InputFile::new("fetch/2025-05/games.parquet", 0, hash)]),
            "input \"fetch/2025-05/games.parquet\" has other bytes",
        ),
        (
            job().inputs([InputFile::new("other", 0, hash)]),
            "an input was fetch/2025-05/games.parquet, is now other",
        ),
        (job().inputs([]), "the number of inputs was 1, is now 0"),
    ];
    for (other, difference) in cases {
        let expected = format!(
            "{}: was made with other settings: {difference}",
            path.display()
        );
        let error = StageFolder::open(path, &other, false).unwrap_err();
        assert_eq!(error.to_string(), expected);
        let error = StageFolder::peek(path, &other, false).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert_eq!(StageFolder::peek(path, &other, true).unwrap(), None);
    }
    assert!(is_finished(path, &job()));
    // Inputs that come to light on the way are not compared.
    assert!(is_finished(
        path,
        &Job {
            inputs: None,
            ..job()
        }
    ));
    let other = job().setting("min_elo", 2000);
    let stage = unfinished(StageFolder::open(path, &other, true));
    assert_eq!(names(path), ["manifest.json"]);
    assert!(stage.manifest().files.is_empty());
    drop(stage);
    work(path, &other, false);
    // The same work is begun anew too, if that is wanted.
    assert!(
        unfinished(StageFolder::open(path, &other, true))
            .manifest()
            .files
            .is_empty()
    );
}

#[test]
fn work_whose_files_have_gone_is_begun_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let manifest = work(path, &job(), false);
    let games = path.join("games.parquet");
    fs::write(&games, "other").unwrap();
    let error = manifest.verify(path).unwrap_err().to_string();
    assert_eq!(
        error,
        format!("{}: is not as it was written", games.display())
    );
    // Looked at by its length alone.
    assert!(is_finished(path, &job()));
    fs::write(&games, "shor").unwrap();
    assert!(matches!(
        Manifest::finished(path),
        Err(ManifestError::Changed { .. })
    ));
    assert!(
        unfinished(StageFolder::open(path, &job(), false))
            .manifest()
            .files
            .is_empty()
    );
    assert!(!games.exists());
}

#[test]
fn files_of_unknown_origin_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join(".hidden"), "").unwrap();
    assert_eq!(StageFolder::peek(path, &job(), false).unwrap(), None);
    fs::write(path.join("games.parquet"), "precious").unwrap();
    let error = StageFolder::open(path, &job(), false)
        .unwrap_err()
        .to_string();
    let expected = format!(
        "{}: there is something already, whose origin is not known",
        path.join("games.parquet").display()
    );
    assert_eq!(error, expected);
    assert_eq!(names(path), [".hidden", "games.parquet"]);
    work(path, &job(), true);
    assert!(is_finished(path, &job()));
    fs::write(path.join("manifest.json"), "{}").unwrap();
    assert!(StageFolder::open(path, &job(), false).is_err());
    work(path, &job(), true);
    assert!(is_finished(path, &job()));
}

#[test]
fn manifests_that_are_none() {
    let parse = |text: &str| {
        Manifest::parse(text.as_bytes(), Path::new("m"))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(parse("{}"), "m: is no manifest");
    assert_eq!(
        parse("{\"manifest_version\":2}"),
        "m: the manifest has version 2, expected 1"
    );
    let good = include_str!("tests/manifest.json");
    Manifest::parse(good.as_bytes(), Path::new("m")).unwrap();
    for name in [
        "../games",
        "/games",
        "",
        "a/../../b",
        "a\\\\b",
        "c:b",
        "manifest.json",
    ] {
        let bad = good.replace(
            "\"name\": \"games.parquet\"",
            &format!("\"name\": \"{name}\""),
        );
        let found = name.replace("\\\\", "\\");
        let expected = format!("m: names the file {found:?}, expected files below its folder");
        assert_eq!(parse(&bad), expected);
    }
}

#[test]
fn counts_add_up() {
    let mut counts = Counts::default();
    let mut other = Counts {
        read: 5,
        kept: 2,
        ..Counts::default()
    };
    other.leave_out("short", 1);
    other.leave_out("short", 1);
    other.leave_out("illegal", 1);
    counts += &other;
    counts += &other;
    assert_eq!((counts.read, counts.kept), (10, 4));
    assert_eq!(counts.left_out["short"], 4);
    assert_eq!(counts.left_out["illegal"], 2);
}

#[test]
fn what_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    work(path, &job(), false);
    let open = |job: &Job, overwrite| StageFolder::open(path, job, overwrite);
    let other = job().setting("min_elo", 2000);
    // The same work stays unless everything is to go.
    let same = open(&job(), Overwrite::Changed).unwrap();
    assert!(matches!(same, Opened::Finished(_)));
    assert!(open(&other, Overwrite::Nothing).is_err());
    work(path, &other, Overwrite::Changed);
    assert!(is_finished(path, &other));
    drop(unfinished(open(&other, Overwrite::Everything)));
    assert_eq!(names(path), ["manifest.json"]);
    // Nothing of it was finished, so that it is no other work.
    work(path, &job(), false);
    assert!(is_finished(path, &job()));
    assert_eq!(Overwrite::from(true), Overwrite::Everything);
    assert_eq!(Overwrite::from(false), Overwrite::Nothing);
}

#[test]
fn a_part_of_other_work_is_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut stage = unfinished(StageFolder::open(path, &job(), false));
    fs::write(stage.file("part-00000.parquet"), "games").unwrap();
    stage.add_file("part-00000.parquet", None).unwrap();
    stage.save().unwrap();
    drop(stage);
    let other = job().setting("min_elo", 2000);
    assert!(StageFolder::open(path, &other, false).is_err());
    drop(unfinished(StageFolder::open(
        path,
        &other,
        Overwrite::Changed,
    )));
    assert_eq!(names(path), ["manifest.json"]);
}
