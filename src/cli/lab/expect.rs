//! The prompt view for machines.

use crate::lab::View;
use crate::lab::record::quoted;
use serde_json::{Value as Json, json};

/// Every position of the prompt; ranks are counted from 1.
pub fn json(view: &View) -> String {
    let text = |id: u32| view.vocabulary.text.get(id as usize).cloned().unwrap_or_default();
    let position = |(at, e): (usize, &crate::lab::view::Expectation)| {
        let leaders: Vec<Json> =
            e.leaders.iter().map(|&(id, p)| json!({"token": id, "text": text(id), "probability": p})).collect();
        json!({
            "position": at, "token": e.token, "text": text(e.token), "rank": e.rank.map(|rank| rank + 1),
            "probability": e.probability, "entropy": e.entropy, "leaders": leaders,
        })
    };
    let positions: Vec<Json> = view.expected.iter().flat_map(|list| list.iter()).enumerate().map(position).collect();
    let whole = json!({"model": view.model.name, "prompt": view.prompt, "positions": positions});
    serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n"
}

/// Every position of the prompt, with the one token that was expected most.
pub fn csv(view: &View) -> String {
    let text = |id: u32| quoted(view.vocabulary.text.get(id as usize).map_or("", String::as_str));
    let number = |value: Option<f64>| value.map(|v| v.to_string()).unwrap_or_default();
    let mut out =
        "position,token,text,rank,probability,entropy,expected,expected_text,expected_probability\n".to_owned();
    for (at, e) in view.expected.iter().flat_map(|list| list.iter()).enumerate() {
        let leader = e.leaders.first().copied();
        let fields = [
            at.to_string(),
            e.token.to_string(),
            text(e.token),
            e.rank.map(|rank| (rank + 1).to_string()).unwrap_or_default(),
            number(e.probability),
            number(e.entropy),
            leader.map(|(id, _)| id.to_string()).unwrap_or_default(),
            leader.map(|(id, _)| text(id)).unwrap_or_default(),
            number(leader.map(|(_, p)| p)),
        ];
        out.push_str(&(fields.join(",") + "\n"));
    }
    out
}
