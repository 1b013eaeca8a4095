//! The lab's numbers for readers.

use crate::lab::record::{LaneRecord, StepRecord};
use crate::lab::view::Expectation;
use crate::lab::{Record, View};
use unicode_width::UnicodeWidthStr;

const TOKEN: usize = 14;

/// A run: each lane's steps, then what it says.
pub fn run(record: &Record, visible: &[String]) -> String {
    let mut out =
        format!("model   {}\nprompt  {}  ({})\n", record.model, record.prompt, tokens(record.prompt_ids.len()));
    out += &format!("seed    {}\n", record.seed);
    record.lanes.iter().for_each(|it| out += &lane(it, visible));
    if let Some((at, names)) = parted(record) {
        out += &format!("\nthe lanes part at step {at} ({names})\n");
    } else if record.lanes.len() > 1 {
        out += "\nthe lanes do not part\n";
    }
    out
}

fn tokens(count: usize) -> String {
    if count == 1 { "1 token".to_owned() } else { format!("{count} tokens") }
}

fn lane(lane: &LaneRecord, visible: &[String]) -> String {
    let settings = if lane.settings.is_empty() { "the model's own distribution" } else { &lane.settings };
    let mut out = format!("\nlane {}  {settings}\n", lane.name);
    out += &format!(
        "{:>5}  {:TOKEN$} {:>8} {:>5}  {:>8} {:>8} {:>6} {:>6} {:>6} {:>6} {:>6}\n",
        "step", "token", "raw p", "rank", "drawn p", "u", "kept", "mass", "raw H", "H", "KL"
    );
    for step in &lane.steps {
        out += &row(step, visible);
    }
    out + &format!("text  {}\n", lane.text.replace('\n', "⏎"))
}

fn row(s: &StepRecord, visible: &[String]) -> String {
    format!(
        "{:>5}  {} {:>8.6} {:>5}  {:>8.6} {:>8.6} {:>6} {:>6.4} {:>6.3} {:>6.3} {:>6.3}{}\n",
        s.step,
        padded(visible.get(s.token as usize).map_or("", String::as_str)),
        s.raw_probability,
        s.raw_rank,
        s.probability,
        s.uniform,
        s.kept,
        s.kept_mass,
        s.raw_entropy,
        s.entropy,
        s.divergence,
        if s.forced { "  forced" } else { "" },
    )
}

/// The first step at which a lane's token is not the first lane's, and the lanes of which that is true.
fn parted(record: &Record) -> Option<(usize, String)> {
    let (first, rest) = record.lanes.split_first()?;
    let parts = |lane: &LaneRecord| first.steps.iter().zip(&lane.steps).position(|(a, b)| a.token != b.token);
    let at = rest.iter().filter_map(parts).min()?;
    let names = rest.iter().filter(|lane| parts(lane) == Some(at)).map(|lane| lane.name.clone());
    Some((at, std::iter::once(first.name.clone()).chain(names).collect::<Vec<_>>().join(", ")))
}

/// The prompt view.
pub fn expected(view: &View) -> String {
    let visible = |id: u32| view.vocabulary.visible.get(id as usize).map_or("", String::as_str);
    let mut out = format!("model   {}\nprompt  {}\n\n", view.model.name, view.prompt);
    out += &format!("{:>4}  {:TOKEN$} {:>5} {:>9} {:>7}  expected\n", "at", "token", "rank", "p", "H");
    for (at, e) in view.expected.iter().flat_map(|list| list.iter()).enumerate() {
        let numbers = match e {
            Expectation { rank: Some(rank), probability: Some(p), entropy: Some(h), .. } => {
                format!("{:>5} {p:>9.6} {h:>7.3}", rank + 1)
            }
            _ => format!("{:>5} {:>9} {:>7}", "", "", ""),
        };
        let leaders = e.leaders.iter().take(3).map(|&(id, p)| format!("{} {p:.3}", visible(id))).collect::<Vec<_>>();
        let line = format!("{at:>4}  {} {numbers}  {}", padded(visible(e.token)), leaders.join("  "));
        out += &(line.trim_end().to_owned() + "\n");
    }
    out
}

/// A token in its column; one that is too long is cut.
fn padded(text: &str) -> String {
    let mut cut = text.to_owned();
    while cut.width() > TOKEN {
        cut.pop();
        if cut.width() < TOKEN {
            cut.push('…');
            break;
        }
    }
    let blanks = TOKEN.saturating_sub(cut.width());
    cut + &" ".repeat(blanks)
}
