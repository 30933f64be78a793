//! Histograms as bars of text.

const WIDTH: u64 = 50;

/// A title and a bar for each count; empty ends are left out.
pub(crate) fn drawn(title: &str, counts: &[(String, u64)]) -> String {
    let mut text = format!("\n{title}\n");
    let shown = without_empty_ends(counts);
    let total: u64 = shown.iter().map(|row| row.1).sum();
    let largest = shown.iter().map(|row| row.1).max().unwrap_or(0).max(1);
    let name_width = shown
        .iter()
        .map(|row| row.0.chars().count())
        .max()
        .unwrap_or(0);
    let count_width = largest.to_string().len();
    for (name, count) in shown {
        let percent = 100.0 * *count as f64 / total as f64;
        let bar = bar(*count, largest);
        text += &format!("  {name:>name_width$}  {count:>count_width$}  {percent:5.1} %  {bar}\n");
    }
    if shown.is_empty() {
        text += "  nothing\n";
    }
    text
}

/// Not shorter than a mark for anything that is there.
fn bar(count: u64, largest: u64) -> String {
    let length = (u128::from(count) * u128::from(WIDTH)).div_ceil(u128::from(largest));
    "#".repeat(length as usize)
}

fn without_empty_ends(counts: &[(String, u64)]) -> &[(String, u64)] {
    let first = counts.iter().position(|row| row.1 > 0);
    let last = counts.iter().rposition(|row| row.1 > 0);
    match (first, last) {
        (Some(first), Some(last)) => &counts[first..=last],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_is_full_and_the_least_is_seen() {
        let counts = [("a", 0), ("b", 1), ("cc", 0), ("d", 1000), ("e", 0)];
        let counts = counts.map(|(name, count)| (name.to_string(), count));
        let text = drawn("title", &counts);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], ["", "title"]);
        assert_eq!(lines[2], "   b     1    0.1 %  #");
        assert_eq!(lines[3], "  cc     0    0.0 %  ");
        assert_eq!(lines[4], format!("   d  1000   99.9 %  {}", "#".repeat(50)));
        assert_eq!(lines.len(), 5);
        assert!(drawn("none", &counts[..1]).ends_with("nothing\n"));
    }
}
