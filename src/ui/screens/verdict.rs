//! What came of a run: verdict, mistake, rustc's words, cases, the picture of where they part.

use crate::app::model::{Judged, Model, Running};
use crate::app::replay;
use crate::judge::report::{CaseReport, CaseResult, Detail, Diagnosis, Mismatch};
use crate::judge::text;
use crate::runner::text::headline;
use crate::runner::verdict::{Implementation, Run, Verdict};
use crate::ui::text::{clean, continued, ends, pad, truncate, width, wrap, wrap_text};
use crate::ui::theme::Theme;
use crate::ui::{ansi, code, markdown, picture};
use ratatui::text::{Line, Span};

/// How many lines of the attempt's output are shown.
const OUTPUT: usize = 200;
/// The widest column of cases, and the space between two.
const COLUMN: (usize, usize) = (44, 2);

pub(super) fn lines(model: &Model, columns: u16, height: u16, theme: &Theme) -> Vec<Line<'static>> {
    if let Some(running) = model.running.as_ref().filter(|running| running.slug == model.slug()) {
        return in_flight(running, columns, theme);
    }
    match model.judged() {
        Some(judged) => finished(model, judged, columns, height, theme),
        None => untried(model, columns, theme),
    }
}

fn untried(model: &Model, columns: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut out = Vec::new();
    if let Some(last) = model.progress.get(model.slug()).and_then(|progress| progress.last.as_ref()) {
        let (mark, style) =
            if last.accepted { (theme.glyphs.accepted, theme.good) } else { (theme.glyphs.wrong, theme.bad) };
        out.extend(wrap_text(&format!("{mark} last time: {}", last.headline), columns.into(), style));
        out.push(Line::default());
    }
    let text = "Nothing was judged since the program was started. **e** opens your file in your editor. Save it there, \
                or press **r** here, and the verdict is on this page.";
    out.extend(markdown::render(text, columns, theme));
    out
}

fn in_flight(running: &Running, columns: u16, theme: &Theme) -> Vec<Line<'static>> {
    if running.planned.is_empty() {
        let what = what(&running.implementation, running.only.as_deref(), theme).unwrap_or("your file".to_owned());
        return wrap_text(&format!("{} building {what}", theme.glyphs.running), columns.into(), theme.info);
    }
    let cell = |(at, name): (usize, &String)| {
        let (mark, style) = match running.done.get(at) {
            Some(true) => (theme.glyphs.accepted, theme.good),
            Some(false) => (theme.glyphs.wrong, theme.bad),
            None if at == running.done.len() => (theme.glyphs.running, theme.info),
            None => (theme.glyphs.untried, theme.dim),
        };
        (Span::styled(mark, style), Span::styled(name.clone(), theme.text), false)
    };
    grid(running.planned.iter().enumerate().map(cell).collect(), columns, theme)
}

/// What is judged, where it is not the whole of the reader's own file.
fn what(implementation: &Implementation, only: Option<&str>, theme: &Theme) -> Option<String> {
    let what = match implementation {
        Implementation::Own => None,
        Implementation::Saved { id, .. } => Some(format!("version {id}")),
        Implementation::File(path) => Some(clean(&path.display().to_string())),
        Implementation::Reference => Some("the reference".to_owned()),
        Implementation::Mistake(name) => Some(format!("the mistake {name}")),
    };
    match (what, only) {
        (what, None) => what,
        (what, Some(_)) => {
            Some(format!("{} {} this case alone", what.unwrap_or("your file".to_owned()), theme.glyphs.dot))
        }
    }
}

fn finished(model: &Model, judged: &Judged, columns: u16, height: u16, theme: &Theme) -> Vec<Line<'static>> {
    let (run, wide) = (&judged.run, usize::from(columns));
    let mut out = head(judged, wide, theme);
    if let Some(found) = &run.report.diagnosis {
        out.push(Line::default());
        out.extend(mistake(found, wide, theme));
    }
    for note in &run.notes {
        out.push(Line::default());
        out.extend(wrap_text(&format!("{} {note}", theme.glyphs.warning), wide, theme.warn));
    }
    for diagnostic in &run.diagnostics {
        out.push(Line::default());
        let lines = ansi::render(diagnostic.rendered.trim_end(), theme);
        out.extend(lines.iter().flat_map(|line| continued(line, wide)));
    }
    if !run.report.cases.is_empty() {
        out.push(Line::default());
        out.extend(cases(model, run, columns, theme));
    }
    if let Some(case) = model.selected_case() {
        selected_case(case, columns, height, theme, &mut out);
    }
    if let Some(cost) = &run.report.cost {
        out.push(Line::default());
        out.extend(wrap_text(text::cost(cost).trim_end(), wide, theme.dim));
    }
    printed(run, wide, theme, &mut out);
    out.extend(next(judged, columns, theme));
    out
}

/// The verdict, its time, and what it is about.
fn head(judged: &Judged, wide: usize, theme: &Theme) -> Vec<Line<'static>> {
    let run = &judged.run;
    let (mark, style) =
        if run.verdict.accepted() { (theme.glyphs.accepted, theme.good) } else { (theme.glyphs.wrong, theme.bad) };
    let style = style.patch(theme.strong);
    let text = format!("{mark} {}", clean(&headline(run)));
    let built = if run.build_seconds > 0.0 { format!(" (build {:.2})", run.build_seconds) } else { String::new() };
    let time = format!("{:.2} s{built}", run.build_seconds + run.run_seconds);
    let mut out = if width(&text) + width(&time) + 3 <= wide {
        let right = Line::from(Span::styled(time, theme.dim));
        vec![ends(Line::from(Span::styled(text, style)), right, wide, &theme.glyphs)]
    } else {
        let mut lines = wrap_text(&text, wide, style);
        lines.push(Line::styled(time, theme.dim));
        lines
    };
    if let Some(what) = what(&judged.implementation, judged.only.as_deref(), theme) {
        let tail = if judged.counts() { "" } else { "; it does not count" };
        out.extend(wrap_text(&format!("{what}{tail}"), wide, theme.dim));
    }
    out
}

fn mistake(found: &Diagnosis, wide: usize, theme: &Theme) -> Vec<Line<'static>> {
    let style = if found.convention { theme.info } else { theme.warn };
    let lead = match (found.convention, found.exact) {
        (true, _) => "another convention",
        (false, true) => "this is the mistake",
        (false, false) => "this looks like the mistake",
    };
    let spans = [
        Span::styled(format!("{} {lead} ", theme.glyphs.arrow), style),
        Span::styled(clean(&found.mistake), style.patch(theme.strong)),
    ];
    let mut out = wrap(&spans, wide);
    out.extend(indented(wrap_text(&found.sentence, wide.saturating_sub(2), theme.text)));
    if !found.also.is_empty() {
        let also = format!("the same comes of {}", found.also.join(", "));
        out.extend(indented(wrap_text(&also, wide.saturating_sub(2), theme.dim)));
    }
    out
}

fn indented(lines: Vec<Line<'static>>) -> impl Iterator<Item = Line<'static>> {
    lines.into_iter().map(|mut line| {
        line.spans.insert(0, Span::raw("  "));
        line
    })
}

/// Marks and names in as many columns as there is room for, read from left to right.
fn grid(cells: Vec<(Span<'static>, Span<'static>, bool)>, columns: u16, theme: &Theme) -> Vec<Line<'static>> {
    let (wide, (most, gap)) = (usize::from(columns), COLUMN);
    let name = cells.iter().map(|(_, name, _)| width(&name.content)).max().unwrap_or(0).min(most);
    let cell = 3 + name;
    let across = ((wide + gap) / (cell + gap)).max(1);
    let name = name.min(wide.saturating_sub(3));
    let row = |cells: &[(Span<'static>, Span<'static>, bool)]| {
        let mut spans = Vec::new();
        for (mark, text, selected) in cells {
            let edge = if *selected { theme.glyphs.marker } else { " " };
            spans.extend([Span::styled(edge, theme.accent), mark.clone(), Span::raw(" ")]);
            spans.push(Span::styled(
                pad(&truncate(&text.content, name, &theme.glyphs), name, &theme.glyphs),
                text.style,
            ));
            spans.push(Span::raw(" ".repeat(gap)));
        }
        spans.pop();
        Line::from(spans)
    };
    cells.chunks(across).map(row).collect()
}

fn cases(model: &Model, run: &Run, columns: u16, theme: &Theme) -> Vec<Line<'static>> {
    let all = &run.report.cases;
    let cell = |(at, case): (usize, &CaseReport)| {
        let selected = at == model.case && all.len() > 1;
        let (mark, style) =
            if case.result.passed() { (theme.glyphs.accepted, theme.good) } else { (theme.glyphs.wrong, theme.bad) };
        let name = if selected { theme.strong } else { theme.text };
        (Span::styled(mark, style), Span::styled(clean(&case.name), name), selected)
    };
    let mut cells: Vec<_> = all.iter().enumerate().map(cell).collect();
    // Those that were planned and never came to an end.
    let rest = run.report.planned.iter().skip(all.len());
    cells.extend(
        rest.map(|name| (Span::styled(theme.glyphs.untried, theme.dim), Span::styled(clean(name), theme.dim), false)),
    );
    grid(cells, columns, theme)
}

fn selected_case(case: &CaseReport, columns: u16, height: u16, theme: &Theme, out: &mut Vec<Line<'static>>) {
    let wide = usize::from(columns);
    out.push(Line::default());
    let name = Line::from(Span::styled(format!("case \"{}\"", clean(&case.name)), theme.heading));
    let time = Line::from(Span::styled(format!("{:.1} ms", case.ms), theme.dim));
    out.push(ends(name, time, wide, &theme.glyphs));
    match &case.result {
        CaseResult::Passed => {
            out.push(Line::styled("passed: every observation agrees with the reference", theme.dim));
            return;
        }
        CaseResult::Differs { mismatches } => {
            for (at, mismatch) in mismatches.iter().enumerate() {
                if at > 0 {
                    out.push(Line::default());
                }
                differs(mismatch, columns, height, theme, out);
            }
        }
        CaseResult::NotImplemented { message } => out.extend(wrap_text(message, wide, theme.text)),
        CaseResult::Failed { message } => {
            out.extend(wrap_text(&format!("returned an error: {message}"), wide, theme.text));
        }
        CaseResult::Panicked { message, location } => {
            let place = location.as_ref().map_or(String::new(), |place| format!(" at {place}"));
            out.extend(wrap_text(&format!("panicked{place}: {message}"), wide, theme.text));
        }
    }
    if !case.inputs.is_empty() {
        out.push(Line::default());
        let right = Line::from(vec![Span::styled("y", theme.key), Span::styled(" copies them", theme.key_text)]);
        out.push(ends(Line::from(Span::styled("inputs", theme.heading)), right, wide, &theme.glyphs));
        let lines = code::highlight(&replay::inputs(case), theme);
        out.extend(lines.iter().flat_map(|line| continued(line, wide)));
    }
}

fn differs(mismatch: &Mismatch, columns: u16, height: u16, theme: &Theme, out: &mut Vec<Line<'static>>) {
    out.extend(wrap_text(&format!("{} {}", mismatch.observation, mismatch.summary), columns.into(), theme.text));
    if let Detail::Values { max_abs, max_rel, rtol, .. } = &mismatch.detail
        && *rtol > 0.0
    {
        let text = format!("largest error {max_abs}, relative {max_rel}; {rtol:e} is allowed");
        out.extend(wrap_text(&text, columns.into(), theme.dim));
    }
    let picture = picture::detail(&mismatch.detail, columns, height.saturating_sub(4).max(8), theme);
    if !picture.is_empty() {
        out.push(Line::default());
        out.extend(picture);
    }
}

fn printed(run: &Run, wide: usize, theme: &Theme, out: &mut Vec<Line<'static>>) {
    if run.output.trim().is_empty() {
        return;
    }
    out.push(Line::default());
    let cut = if run.output_cut { ", cut" } else { "" };
    out.push(Line::styled(format!("what it printed{cut}"), theme.heading));
    let mut lines = run.output.lines();
    for line in lines.by_ref().take(OUTPUT) {
        out.extend(crate::ui::text::chop(&Line::styled(clean(line), theme.text), wide));
    }
    match lines.count() {
        0 => {}
        rest => out.push(Line::styled(format!("{rest} more lines"), theme.dim)),
    }
}

/// What one does now.
fn next(judged: &Judged, columns: u16, theme: &Theme) -> Vec<Line<'static>> {
    let text = match &judged.run.verdict {
        Verdict::Accepted if judged.counts() => {
            "**4** shows the reference beside your code, **5** what an interviewer asks next."
        }
        _ if judged.only.is_some() => "**r** judges all cases.",
        Verdict::NotImplemented => "**e** opens your file; every save is judged. **1** is the statement, **h** a hint.",
        _ => return Vec::new(),
    };
    let mut out = vec![Line::default()];
    out.extend(markdown::render(text, columns, theme));
    out
}
