//! A problem's README.md in its parts.
//!
//! ```text
//! ---
//! title: Scaled dot-product attention
//! tier: 5
//! minutes: 12
//! needs: candle
//! ---
//! …the task: everything up to the next part…
//! ## Hints
//! ### 1
//! …
//! ## Follow-up questions
//! ### Why divide by √d_k?
//! …the answer…
//! ```

/// The parts of a statement, all of them markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Title.
    pub title: String,
    /// How often it is asked, 1 to 5.
    pub tier: u8,
    /// Par time in minutes.
    pub minutes: u32,
    /// What it needs besides the standard library ("candle").
    pub needs: String,
    /// The task with its signature, examples, conventions and tolerance.
    pub task: String,
    /// Hints, from a nudge to nearly the answer.
    pub hints: Vec<String>,
    /// Follow-up questions with their model answers.
    pub follow_ups: Vec<(String, String)>,
}

impl Statement {
    /// Reads the parts; the error says which one is missing.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.replace("\r\n", "\n");
        let rest = text.strip_prefix("---\n").ok_or("no front matter: the file must begin with ---")?;
        let (front, body) = rest.split_once("\n---\n").ok_or("the front matter has no end")?;
        let field = |name: &str| {
            let value = front.lines().filter_map(|line| line.split_once(':')).find(|(key, _)| key.trim() == name);
            value.map(|(_, value)| value.trim().to_owned()).ok_or(format!("the front matter has no \"{name}\""))
        };
        let (task, rest) = body.split_once("\n## Hints\n").ok_or("no part \"## Hints\"")?;
        let (hints, follow_ups) =
            rest.split_once("\n## Follow-up questions\n").ok_or("no part \"## Follow-up questions\"")?;
        let tier: u8 = field("tier")?.parse().map_err(|_| "tier is not a number")?;
        if !(1..=5).contains(&tier) {
            return Err("tier is not 1 to 5".to_owned());
        }
        Ok(Self {
            title: field("title")?,
            tier,
            minutes: field("minutes")?.parse().map_err(|_| "minutes is not a number")?,
            needs: field("needs")?,
            task: task.trim().to_owned(),
            hints: parts(hints).into_iter().map(|(_, text)| text).collect(),
            follow_ups: parts(follow_ups),
        })
    }
}

/// The `### ` parts of a text: heading and body.
fn parts(text: &str) -> Vec<(String, String)> {
    let text = format!("\n{text}");
    let sections = text.split("\n### ").skip(1);
    let part = |section: &str| {
        let (heading, body) = section.split_once('\n').unwrap_or((section, ""));
        (heading.trim().to_owned(), body.trim().to_owned())
    };
    sections.map(part).collect()
}
