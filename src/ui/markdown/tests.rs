use super::super::theme::{Charset, Depth};
use super::*;
use proptest::prelude::*;

const SAMPLE: &str = "\
# Title

A paragraph with *emphasis*, **strong**, `code`, a [link](https://example.org) and <https://example.org/x>, long enough to \
wrap at any width that is tried here.

- first, also long enough to be wrapped at the narrower widths
  - inner one
  - inner two

    with a paragraph
- second

10. ten
11. eleven

> quoted text that is long enough to wrap
>
> in two paragraphs

```rust
pub fn f(x: &Tensor, y: Option<&Tensor>) -> Result<Tensor> { // a long line of code
    Ok(x.clone())
}
```

| left | right | what it is |
|:--|--:|---|
| `a` | 1 | a cell with several words in it |
| `bb` | 22 | short |

---

last
";

fn plain_text(markdown: &str, width: u16, theme: &Theme) -> String {
    code::warm();
    let lines = render(markdown, width, theme);
    lines.iter().map(|line| line.to_string().trim_end().to_owned()).collect::<Vec<String>>().join("\n")
}

#[test]
fn at_several_widths() {
    for width in [24, 40, 76] {
        insta::assert_snapshot!(format!("sample_{width}"), plain_text(SAMPLE, width, &Theme::default()));
    }
}

#[test]
fn in_ascii() {
    let text = plain_text("Q·Kᵀ / √d_k\n\n- one\n\n> two", 40, &Theme::plain(Charset::Ascii));
    assert!(text.is_ascii(), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn styles_by_theme() {
    let markdown = "## Head\n\na *b* **c** `d` [e](#x)\n\n```rust\nlet x = 1; // why\n```\n";
    code::warm();
    for (name, theme) in [
        ("dark", Theme::default()),
        ("light", Theme::light(Depth::Indexed, Charset::Unicode)),
        ("sixteen", Theme::dark(Depth::Ansi16, Charset::Unicode)),
        ("plain", Theme::plain(Charset::Unicode)),
    ] {
        insta::assert_debug_snapshot!(format!("styles_{name}"), drawn(&render(markdown, 30, &theme)));
    }
}

fn drawn(lines: &[Line<'static>]) -> ratatui::buffer::Buffer {
    use ratatui::widgets::{Paragraph, Widget};
    let area = ratatui::layout::Rect::new(0, 0, 30, u16::try_from(lines.len()).expect("a short text"));
    let mut buffer = ratatui::buffer::Buffer::empty(area);
    Paragraph::new(lines.to_vec()).render(area, &mut buffer);
    buffer
}

#[test]
fn no_statement_is_wider_than_the_page() {
    code::warm();
    for entry in crate::pack::all() {
        for width in [20u16, 40, 60, 76, 100] {
            for line in render(entry.readme, width, &Theme::default()) {
                assert!(line.width() <= usize::from(width), "{} at {width}: {line}", entry.slug);
            }
        }
    }
}

proptest! {
    #[test]
    fn anything_is_rendered_within_its_width(
        markdown in "([-*#>|`~\\[\\]()0-9a-c 一\n]|```\n|\\|--\\|\n|- ){0,60}",
        width in 8u16..60,
    ) {
        for line in render(&markdown, width, &Theme::default()) {
            prop_assert!(line.width() <= usize::from(width).max(2), "{line:?}");
        }
    }
}
