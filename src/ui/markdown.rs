//! Markdown as lines of a given width, by the theme. What a statement needs: headings, paragraphs, lists, quotations,
//! tables, code; emphasis, inline code and links within them.

mod flow;
mod table;

use super::theme::Theme;
use super::{ascii, code, text};
use flow::Flow;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use table::Table;

/// Columns below which nothing is laid out any more.
const NARROWEST: usize = 8;

/// The text at this width. No line is wider (below eight columns, than eight).
pub fn render(markdown: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let source = if theme.glyphs.is_ascii() { ascii::spell(markdown) } else { markdown.into() };
    let mut renderer = Renderer::new(usize::from(width).max(NARROWEST), theme);
    for event in Parser::new_ext(&source, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        renderer.event(event);
    }
    renderer.flow.finish()
}

/// The state of the walk.
struct Renderer<'a> {
    theme: &'a Theme,
    flow: Flow<'a>,
    /// Text of the block that is being read.
    inline: Vec<Span<'static>>,
    /// Styles of the marks around it, innermost last.
    styles: Vec<Style>,
    /// Lists around it: the next number, or none in a list with bullets.
    lists: Vec<Option<u64>>,
    /// Address of the link that is being read, and where its text begins.
    link: Option<(String, usize)>,
    /// Code block that is being read: language and text.
    code: Option<(String, String)>,
    /// Table that is being read.
    table: Option<Table>,
}

impl<'a> Renderer<'a> {
    fn new(width: usize, theme: &'a Theme) -> Self {
        Self {
            theme,
            flow: Flow::new(width, theme),
            inline: Vec::new(),
            styles: vec![theme.text],
            lists: Vec::new(),
            link: None,
            code: None,
            table: None,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(words) => match &mut self.code {
                Some((_, source)) => source.push_str(&words),
                None => self.push(&words, self.style()),
            },
            Event::Code(words) => {
                let style = self.style().patch(self.theme.code);
                self.push(&words, style);
            }
            Event::SoftBreak => self.push(" ", self.style()),
            Event::HardBreak if self.table.is_some() => self.push(" ", self.style()),
            Event::HardBreak => self.paragraph(),
            Event::Rule => self.flow.rule(),
            Event::Html(words) | Event::InlineHtml(words) if !words.starts_with("<!--") => {
                self.push(words.trim_end(), self.theme.dim);
            }
            _ => {}
        }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn push(&mut self, words: &str, style: Style) {
        let words = text::clean(words);
        let words = if self.theme.glyphs.is_ascii() { words } else { text::bind_digits(&words) };
        self.inline.push(Span::styled(words, style));
    }

    fn mark(&mut self, style: Style) {
        self.styles.push(self.style().patch(style));
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.flow.gap(),
            Tag::Heading { level, .. } => {
                self.flow.gap();
                self.mark(self.heading(level));
            }
            Tag::BlockQuote(_) => {
                self.flow.gap();
                self.flow.quote();
            }
            Tag::CodeBlock(kind) => {
                let language =
                    if let CodeBlockKind::Fenced(language) = kind { language.to_string() } else { String::new() };
                self.paragraph();
                self.code = Some((language, String::new()));
            }
            Tag::List(first) => {
                // A list inside an item begins where the item's own text ends.
                self.paragraph();
                if self.lists.is_empty() {
                    self.flow.gap();
                }
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::Table(alignments) => {
                self.flow.gap();
                self.table = Some(Table::new(alignments));
            }
            Tag::TableHead => self.mark(self.theme.strong),
            Tag::Emphasis => self.mark(self.theme.emphasis),
            Tag::Strong => self.mark(self.theme.strong),
            Tag::Strikethrough => self.mark(Style::new().add_modifier(Modifier::CROSSED_OUT)),
            Tag::Link { dest_url, .. } => {
                self.mark(self.theme.link);
                self.link = Some((dest_url.to_string(), self.inline.len()));
            }
            Tag::Image { .. } => self.mark(self.theme.dim),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.paragraph(),
            TagEnd::Heading(_) => {
                self.styles.pop();
                self.paragraph();
            }
            TagEnd::BlockQuote(_) => {
                self.paragraph();
                self.flow.leave();
            }
            TagEnd::CodeBlock => self.code_block(),
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Item => {
                self.paragraph();
                self.flow.leave();
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    table.lines(self.flow.room(), self.theme).into_iter().for_each(|line| self.flow.line(line));
                }
            }
            TagEnd::TableHead => {
                self.styles.pop();
                self.end_row();
            }
            TagEnd::TableRow => self.end_row(),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.inline);
                self.table.iter_mut().for_each(|table| table.cell(cell.clone()));
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Image => {
                self.styles.pop();
            }
            TagEnd::Link => self.end_link(),
            _ => {}
        }
    }

    /// Writes what has been read of the running text.
    fn paragraph(&mut self) {
        let spans = std::mem::take(&mut self.inline);
        if !spans.is_empty() {
            text::wrap(&spans, self.flow.room()).into_iter().for_each(|line| self.flow.line(line));
        }
    }

    fn item(&mut self) {
        let g = &self.theme.glyphs;
        let depth = self.lists.len();
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                let mark = format!("{number}. ");
                *number += 1;
                mark
            }
            _ if depth % 2 == 1 => format!("{} ", g.bullet),
            _ => format!("{} ", g.bullet_inner),
        };
        self.flow.item(mark);
    }

    fn end_row(&mut self) {
        self.table.iter_mut().for_each(Table::end_row);
    }

    /// The address behind the text, where it says more than the text does.
    fn end_link(&mut self) {
        self.styles.pop();
        let Some((address, from)) = self.link.take() else { return };
        let shown: String =
            self.inline[from.min(self.inline.len())..].iter().map(|span| span.content.as_ref()).collect();
        if address.starts_with("http") && address != shown {
            self.push(&format!(" <{address}>"), self.theme.dim);
        }
    }

    fn heading(&self, level: HeadingLevel) -> Style {
        match level {
            HeadingLevel::H1 => self.theme.heading.add_modifier(Modifier::UNDERLINED),
            HeadingLevel::H2 => self.theme.heading,
            _ => self.theme.strong,
        }
    }

    /// A margin at the left, and long lines continued with a deeper indent.
    fn code_block(&mut self) {
        let Some((language, source)) = self.code.take() else { return };
        let margin = Span::styled(format!("{} ", self.theme.glyphs.margin), self.theme.rule);
        let room = self.flow.room().saturating_sub(margin.width()).max(1);
        self.flow.gap();
        for line in code::block(&source, &language, self.theme) {
            for part in text::continued(&line, room) {
                let mut spans = vec![margin.clone()];
                spans.extend(part.spans);
                self.flow.line(Line::from(spans));
            }
        }
    }
}

#[cfg(test)]
mod tests;
