//! What came of a run: verdict, mistake, rustc's words, cases, the picture of where they part.

use super::detail::implementation;
use crate::app::model::{Model, Running};
use crate::judge::report::{CaseReport, CaseResult, Detail, Mismatch};
use crate::judge::text;
use crate::runner::text::headline;
use crate::runner::verdict::{Run, Verdict};
use crate::ui::text::{truncate, wrap_text};
use crate::ui::theme::Theme;
use crate::ui::{ansi, picture};
use ratatui::text::{Line, Span};

/// How much of the attempt's output is shown.
const OUTPUT: usize = 200;

pub(super) fn lines(model: &Model, columns: u16, height: u16, theme: &Theme) -> Vec<Line<'static>> {
    if let Some(running) = model.running.as_ref().filter(|running| running.slug == model.slug()) {
        return in_flight(running, theme);
    }
    match model.run() {
        Some(run) => finished(model, run, columns, height, theme),
        None => untried(model, columns, theme),
    }
}

fn untried(model: &Model, columns: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut out = Vec::new();
    if let Some(last) = model.progress.get(model.slug()).and_then(|progress| progress.last.as_ref()) {
        out.extend(wrap_text(&format!("Last time: {}", last.headline), columns.into(), theme.dim));
        out.push(Line::default());
    }
    let text = "Nothing judged yet. e opens your file; save it, or press r, and the verdict is here.";
    out.extend(wrap_text(text, columns.into(), theme.dim));
    out
}

fn in_flight(running: &Running, theme: &Theme) -> Vec<Line<'static>> {
    if running.planned.is_empty() {
        return vec![Line::styled(format!("{} building your file", theme.glyphs.running), theme.info)];
    }
    let line = |(at, name): (usize, &String)| {
        let (mark, style) = match running.done.get(at) {
            Some(true) => (theme.glyphs.accepted, theme.good),
            Some(false) => (theme.glyphs.wrong, theme.bad),
            None if at == running.done.len() => (theme.glyphs.running, theme.info),
            None => (theme.glyphs.untried, theme.dim),
        };
        Line::from(vec![Span::styled(format!("{mark} "), style), Span::styled(name.clone(), theme.text)])
    };
    running.planned.iter().enumerate().map(line).collect()
}

fn finished(model: &Model, run: &Run, columns: u16, height: u16, theme: &Theme) -> Vec<Line<'static>> {
    let wide = usize::from(columns);
    let (mark, style) =
        if run.verdict.accepted() { (theme.glyphs.accepted, theme.good) } else { (theme.glyphs.wrong, theme.bad) };
    let mut out = wrap_text(&format!("{mark} {}", headline(run)), wide, style.patch(theme.strong));
    let total = run.build_seconds + run.run_seconds;
    let mut under = format!("{total:.2} s (build {:.2}, run {:.2})", run.build_seconds, run.run_seconds);
    if let Some(what) = implementation(model) {
        under = format!("{what} {} {under}", theme.glyphs.dot);
    }
    out.extend(wrap_text(&under, wide, theme.dim));
    if let Some(found) = &run.report.diagnosis {
        out.push(Line::default());
        let style = if found.convention { theme.info } else { theme.warn };
        let lead = match (found.convention, found.exact) {
            (true, _) => "Another convention",
            (false, true) => "The mistake",
            (false, false) => "It looks like the mistake",
        };
        out.push(Line::from(vec![
            Span::styled(format!("{lead}: "), style.patch(theme.strong)),
            Span::styled(found.mistake.clone(), style),
        ]));
        out.extend(wrap_text(&found.sentence, wide, theme.text));
    }
    for note in &run.notes {
        out.extend(wrap_text(&format!("note: {note}"), wide, theme.warn));
    }
    for diagnostic in &run.diagnostics {
        out.push(Line::default());
        out.extend(ansi::render(diagnostic.rendered.trim_end(), theme));
    }
    cases(model, run, columns, height, theme, &mut out);
    if let Some(cost) = &run.report.cost {
        out.push(Line::default());
        out.extend(wrap_text(text::cost(cost).trim_end(), wide, theme.dim));
    }
    printed(run, theme, &mut out);
    if run.verdict == Verdict::Accepted {
        out.push(Line::default());
        out.extend(wrap_text(
            "4 shows the reference beside your code, and what an interviewer asks next.",
            wide,
            theme.info,
        ));
    }
    out
}

fn cases(model: &Model, run: &Run, columns: u16, height: u16, theme: &Theme, out: &mut Vec<Line<'static>>) {
    if run.report.cases.is_empty() {
        return;
    }
    out.push(Line::default());
    for (at, case) in run.report.cases.iter().enumerate() {
        let selected = at == model.case && run.report.cases.len() > 1;
        let (mark, style) =
            if case.result.passed() { (theme.glyphs.accepted, theme.good) } else { (theme.glyphs.wrong, theme.bad) };
        let edge = if selected { theme.glyphs.marker } else { " " };
        let name = if selected { theme.strong } else { theme.text };
        let ms = format!("{:.1} ms", case.ms);
        let room = usize::from(columns).saturating_sub(5 + 10);
        out.push(Line::from(vec![
            Span::styled(edge, theme.accent),
            Span::styled(format!("{mark} "), style),
            Span::styled(crate::ui::text::pad(&truncate(&case.name, room, &theme.glyphs), room, &theme.glyphs), name),
            Span::styled(format!("{ms:>10}"), theme.dim),
        ]));
    }
    if let Some(case) = run.report.cases.get(model.case) {
        selected_case(case, columns, height, theme, out);
    }
}

fn selected_case(case: &CaseReport, columns: u16, height: u16, theme: &Theme, out: &mut Vec<Line<'static>>) {
    let wide = usize::from(columns);
    match &case.result {
        CaseResult::Passed => return,
        CaseResult::Differs { mismatches } => {
            mismatches.iter().for_each(|mismatch| differs(mismatch, columns, height, theme, out));
        }
        CaseResult::NotImplemented { message } => {
            out.push(Line::default());
            out.extend(wrap_text(message, wide, theme.text));
        }
        CaseResult::Failed { message } => {
            out.push(Line::default());
            out.extend(wrap_text(&format!("returned an error: {message}"), wide, theme.text));
        }
        CaseResult::Panicked { message, location } => {
            out.push(Line::default());
            let place = location.as_ref().map_or(String::new(), |place| format!(" at {place}"));
            out.extend(wrap_text(&format!("panicked{place}: {message}"), wide, theme.text));
        }
    }
    if !case.inputs.is_empty() {
        out.push(Line::default());
        out.push(Line::styled("inputs", theme.heading));
        let code: String = case.inputs.iter().map(|input| format!("let {} = {};\n", input.name, input.text)).collect();
        for line in crate::ui::code::highlight(&code, theme) {
            out.extend(crate::ui::text::chop(&line, wide));
        }
    }
}

fn differs(mismatch: &Mismatch, columns: u16, height: u16, theme: &Theme, out: &mut Vec<Line<'static>>) {
    out.push(Line::default());
    out.extend(wrap_text(&format!("{} {}", mismatch.observation, mismatch.summary), columns.into(), theme.text));
    if let Detail::Values { max_abs, max_rel, rtol, .. } = &mismatch.detail
        && *rtol > 0.0
    {
        let text = format!("largest error {max_abs}, relative {max_rel}; {rtol:e} is allowed");
        out.extend(wrap_text(&text, columns.into(), theme.dim));
    }
    let picture = picture::detail(&mismatch.detail, columns, height.saturating_sub(6).max(8), theme);
    if !picture.is_empty() {
        out.push(Line::default());
        out.extend(picture);
    }
}

fn printed(run: &Run, theme: &Theme, out: &mut Vec<Line<'static>>) {
    if run.output.trim().is_empty() {
        return;
    }
    out.push(Line::default());
    let cut = if run.output_cut { ", cut" } else { "" };
    out.push(Line::styled(format!("what it printed{cut}"), theme.heading));
    let lines: Vec<&str> = run.output.lines().collect();
    out.extend(lines.iter().take(OUTPUT).map(|line| Line::styled(crate::ui::text::clean(line), theme.text)));
    if lines.len() > OUTPUT {
        out.push(Line::styled(format!("{} more lines", lines.len() - OUTPUT), theme.dim));
    }
}
