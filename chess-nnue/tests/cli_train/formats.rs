//! Samples and parameters in every format.

use std::fs;

use chess_nnue::Network;
use chess_records::zdat::{Layout, ZdatTargets, ZdatWriter, ZdatWriterOptions};
use chess_records::{Board, BulletRecord, MarlinRecord, Score, ZdatRecord};
use serde_json::Value;

use crate::support::{Folder, start, succeed};

#[test]
fn files_of_several_formats_are_mixed_by_weight() {
    let folder = Folder::new();
    let more = folder.read("more.marlin");
    let lines = more.as_chunks::<32>().0.iter().map(|bytes| {
        let labelled = MarlinRecord::from_bytes(bytes).decode().unwrap();
        format!("{}\n", labelled.text().unwrap())
    });
    fs::write(folder.path("more.txt"), lines.collect::<String>()).unwrap();
    let config = "out = \"run\"\n[data]\nheld_out = 0.2\n\
                  training = [\"some.marlin\", { path = \"more.txt\", weight = 3 }]\n\
                  [architecture]\nhidden = 16\n[training]\nepochs = 1\nbatch_size = 256\n";
    fs::write(folder.path("run.toml"), config).unwrap();
    let [end, _] = succeed(&["train", &folder.text("run.toml"), "--json", "--quiet"]);
    let end: Value = serde_json::from_str(&end).unwrap();
    let data = &end["data"];
    assert_eq!(data["files"][1]["samples"], 1000);
    let of_file = |index: usize| data["files"][index]["training_samples"].as_u64().unwrap();
    // Three samples of the second file to one of the first.
    let mixed = data["training_samples"].as_u64().unwrap();
    assert!(mixed.abs_diff(of_file(1) * 4 / 3) <= 2, "{data}");
    assert_eq!(
        data["left_over"].as_u64().unwrap(),
        of_file(0) + of_file(1) - mixed
    );
    let held_out = data["held_out_samples"].as_u64().unwrap();
    assert_eq!(held_out + of_file(0) + of_file(1), 5000);
}

/// The first samples of the sample in bulletformat and zdat, which know the side to move alone.
fn write_by_mover(folder: &Folder) {
    let more = folder.read("more.marlin");
    let options = ZdatWriterOptions::new().batch(100);
    let mut zdat = ZdatWriter::create(folder.path("more.zdat"), &options).unwrap();
    let mut bullet = Vec::new();
    for bytes in more.as_chunks::<32>().0 {
        let labelled = MarlinRecord::from_bytes(bytes).decode().unwrap();
        let record = BulletRecord::from_labelled_lossy(&labelled, [0; 3]).unwrap();
        bullet.extend_from_slice(record.as_bytes());
        let score = labelled.label.score.unwrap();
        let Score::Centipawns(of_mover) = score.seen_by(labelled.side_to_move()) else {
            panic!("{score:?}");
        };
        let targets = ZdatTargets {
            score: f32::from(of_mover) / 100.0,
            ..ZdatTargets::default()
        };
        let (position, result) = (&labelled.position, labelled.label.result.unwrap());
        let record = ZdatRecord::encode(position, &[], result, &targets, Layout::default());
        zdat.push(&record.unwrap()).unwrap();
    }
    zdat.finish().unwrap();
    fs::write(folder.path("more.bin"), bullet).unwrap();
}

#[test]
fn every_format_is_opened() {
    let folder = Folder::new();
    write_by_mover(&folder);
    let games = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/train_data/games.viri");
    fs::copy(games, folder.path("games.viri")).unwrap();
    let held_out = folder.text("some.marlin");
    let train = |data: &str, options: &[&str]| {
        let (run, data) = (format!("{data}-run"), folder.text(data));
        let out = folder.text(&run);
        let common = [
            "train",
            "--data",
            &data,
            "--out",
            &out,
            "--held-out",
            &held_out,
            "--hidden=16",
            "--epochs=1",
            "--batch-size=100",
            "--eval-scale=115",
            "--quiet",
            "--set",
            "check_scores=false",
        ];
        succeed(&[&common[..], options].concat());
        folder.read(&format!("{run}/network.nnue"))
    };
    let bullet = train("more.bin", &["--format=bullet"]);
    let pawns = ["--zdat-score=pawns", "--zdat-layout=rank1"];
    assert!(train("more.zdat", &pawns) == bullet);
    fs::remove_dir_all(folder.path("more.zdat-run")).unwrap();
    // Scores that are not learnt from need not be there.
    let none = [
        "--zdat-score=none",
        "--zdat-layout=rank1",
        "--result-weight=1",
    ];
    assert!(train("more.zdat", &none) != bullet);
    train("games.viri", &[]);
}

#[test]
fn parameters_are_converted() {
    let folder = Folder::new();
    folder.train("run");
    let net = folder.text("run/network.nnue");
    let convert = |from: &str, to: &str, options: &[&str]| {
        succeed(
            &[
                &["convert", &folder.text(from), &folder.text(to)][..],
                options,
            ]
            .concat(),
        );
        folder.read(to)
    };
    let trained = folder.read("run/parameters.safetensors");
    let network = Network::load(&net).unwrap();
    assert_eq!(
        convert("run/parameters.safetensors", "a.nnue", &[]),
        network.to_bytes()
    );
    assert_eq!(
        convert("run/best.ckpt", "best.nnue", &[]),
        folder.read("run/best.nnue")
    );
    assert_eq!(
        convert("run/parameters.safetensors", "b.safetensors", &[]),
        trained
    );
    // Integers to floating point and back.
    assert_ne!(convert("a.nnue", "c.safetensors", &[]), trained);
    assert_eq!(convert("c.safetensors", "d.nnue", &[]), network.to_bytes());
    let bullet = convert("b.safetensors", "e.bin", &["--to=bullet"]);
    assert_eq!(bullet, network.to_bullet_bytes().unwrap());
    let output = start(&["inspect", &folder.text("b.safetensors")]);
    assert!(output.status.success());
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("safetensors")
    );
}
