//! The table of the README, from what criterion has measured: `table [target/criterion]`.
//!
//! Nanoseconds a call in the fastest of criterion's samples, which other programs on the machine
//! disturb least, and how many times as long as the loop written by hand.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use serde_json::Value;

const GROUPS: [&str; 3] = ["update+output", "output", "refresh+output"];
/// How many calls criterion takes for one.
const CASES: f64 = 64.0;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1);
    let folder = folder.unwrap_or_else(|| "target/criterion".into());
    let mut rows: BTreeMap<String, [Option<f64>; 3]> = BTreeMap::new();
    for (column, group) in GROUPS.into_iter().enumerate() {
        for (name, time) in group_times(&Path::new(&folder).join(group))? {
            rows.entry(name).or_default()[column] = Some(time);
        }
    }
    let by_hand = rows.get("by hand avx2").copied().unwrap_or_default();
    println!("| | {} |\n|---|---|---|---|", GROUPS.join(" | "));
    for (name, times) in &rows {
        let cells = times.iter().zip(by_hand).map(|(time, by_hand)| match time {
            None => "–".into(),
            Some(time) => match by_hand {
                Some(by_hand) => format!("{time:.0} ns ({:.2})", time / by_hand),
                None => format!("{time:.0} ns"),
            },
        });
        println!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    Ok(())
}

/// The times of a group's contestants.
fn group_times(group: &Path) -> Result<Vec<(String, f64)>, Box<dyn Error>> {
    let mut times = Vec::new();
    for entry in fs::read_dir(group)? {
        let sample = entry?.path().join("new/sample.json");
        let name = entry_name(&sample);
        if let (Some(name), Ok(text)) = (name, fs::read(&sample)) {
            times.push((name, fastest(&serde_json::from_slice(&text)?)));
        }
    }
    Ok(times)
}

/// The contestant's folder, two above its sample.
fn entry_name(sample: &Path) -> Option<String> {
    let name = sample.parent()?.parent()?.file_name()?;
    Some(name.to_str()?.to_owned())
}

fn fastest(sample: &Value) -> f64 {
    let numbers = |field: &str| {
        let list = sample[field].as_array().cloned().unwrap_or_default();
        list.into_iter().filter_map(|number| number.as_f64())
    };
    let each = numbers("times")
        .zip(numbers("iters"))
        .map(|(time, iters)| time / iters);
    each.fold(f64::INFINITY, f64::min) / CASES
}
