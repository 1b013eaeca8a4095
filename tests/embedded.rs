//! The embedded models against transformers on the same weights (tests/golden/makers/lab.py).

use logitlings::lab::batch::{Batch, greedy};
use logitlings::lab::cached::{self, Cached};
use logitlings::lab::{Lane, Loaded, Source, embedded};
use logitlings::sampling::numeric::summarize;
use logitlings::sampling::{Engine, Settings};
use serde_json::Value as Json;

fn golden() -> Json {
    serde_json::from_str(include_str!("golden/lab.json")).expect("the fixture is JSON")
}

fn model() -> Loaded {
    embedded::load().expect("the embedded model loads")
}

fn numbers(json: &Json) -> Vec<f64> {
    json.as_array().expect("an array").iter().map(|v| v.as_f64().expect("a number")).collect()
}

fn ids(json: &Json) -> Vec<u32> {
    json.as_array().expect("an array").iter().map(|v| v.as_u64().expect("an id") as u32).collect()
}

fn rows(json: &Json) -> Vec<Vec<u32>> {
    json.as_array().expect("rows").iter().map(ids).collect()
}

#[test]
fn the_card_says_what_it_is() {
    let model = model();
    assert_eq!((model.card.parameters, model.card.vocabulary, model.card.context), (4_273_664, 4096, 256));
    let draft = embedded::load_draft(&model).expect("the draft loads");
    assert_eq!((draft.card.parameters, draft.card.vocabulary, draft.card.context), (953_856, 4096, 256));
}

#[test]
fn texts_become_the_same_tokens_and_come_back() {
    let tokens = model().tokens;
    for case in golden()["texts"].as_array().expect("texts") {
        let text = case["text"].as_str().expect("a text");
        let found = tokens.encode(text).expect("tokens");
        assert_eq!(found, ids(&case["ids"]), "{text:?}");
        assert_eq!(tokens.decode(&found), case["decoded"].as_str().expect("a text"));
    }
}

#[test]
fn a_stream_never_shows_half_a_character() {
    let tokens = model().tokens;
    for text in ["naïve café — “quoted” … 日本語 🦀", "e\u{301}\u{200b}", "plain"] {
        let ids = tokens.encode(text).expect("tokens");
        let mut stream = tokens.stream();
        let pieces: Vec<String> = ids.iter().map(|&id| stream.push(id)).collect();
        assert!(pieces.iter().all(|piece| !piece.contains('\u{FFFD}')), "{pieces:?}");
        assert_eq!(pieces.concat() + &stream.finish(), text);
    }
    // The crab's first three bytes, then an ordinary word: the promise of a character is broken, and that is shown.
    let crab = tokens.encode("🦀").expect("tokens");
    let x = tokens.encode("x").expect("a token")[0];
    let mut stream = tokens.stream();
    let held: String = crab[..crab.len() - 1].iter().map(|&id| stream.push(id)).collect();
    assert_eq!((held.as_str(), stream.push(x).as_str()), ("", "\u{FFFD}x"));
    let mut unfinished = tokens.stream();
    assert_eq!(unfinished.push(crab[0]), "");
    assert_eq!(unfinished.finish(), "\u{FFFD}");
}

#[test]
fn every_token_can_be_seen() {
    let tokens = model().tokens;
    let vocabulary = tokens.vocabulary();
    assert_eq!((vocabulary.text.len(), vocabulary.visible.len()), (4096, 4096));
    assert_eq!(vocabulary.visible[embedded::END_OF_TEXT as usize], "<|endoftext|>");
    assert!(vocabulary.visible.iter().all(|text| !text.is_empty() && !text.contains([' ', '\n', '\u{FFFD}'])));
    let the = tokens.encode(" the").expect("a token")[0] as usize;
    assert_eq!((vocabulary.text[the].as_str(), vocabulary.visible[the].as_str()), (" the", "␣the"));
}

/// Logits of every position, and what depends on all of them, within 1e-4 of the logits' size.
#[test]
fn logits_of_every_position_agree_with_transformers() {
    let golden = golden();
    let chosen = ids(&golden["ids"]);
    let model = model();
    let draft = embedded::load_draft(&model).expect("the draft loads");
    for (name, loaded) in [("model", &model), ("draft", &draft)] {
        for run in golden[name].as_array().expect("runs") {
            let logits = cached::all_logits(&*loaded.model, &ids(&run["ids"])).expect("logits");
            let [some, sums, log_sums, largest] =
                [&run["logits"], &run["sum"], &run["log_sum"], &run["largest"]].map(|json| numbers(&json["data"]));
            let best = ids(&run["best"]);
            assert_eq!(logits.len(), best.len());
            for (at, row) in logits.iter().enumerate() {
                let scale = row.iter().fold(0.0f64, |scale, &l| scale.max(f64::from(l).abs()));
                let near = |what: &str, found: f64, want: f64, times: f64| {
                    let gap = (found - want).abs();
                    assert!(gap <= 1e-4 * scale * times, "{name}, position {at}, {what}: {found} for {want}");
                };
                for (&id, &want) in chosen.iter().zip(&some[at * chosen.len()..]) {
                    near(&format!("logit {id}"), f64::from(row[id as usize]), want, 1.0);
                }
                near("sum", row.iter().map(|&l| f64::from(l)).sum(), sums[at], row.len() as f64);
                let summary = summarize(row);
                near("log sum", summary.log_sum, log_sums[at], 1.0);
                near("largest", f64::from(summary.max), largest[at], 1.0);
                assert_eq!(greedy(row), best[at], "{name}, position {at}");
            }
        }
    }
}

#[test]
fn attention_agrees_with_transformers() {
    let golden = golden();
    let tokens = ids(&golden["model"][0]["ids"]);
    let maps = cached::attention(&*model().model, &tokens).expect("maps");
    let layers = golden["attention"].as_array().expect("layers");
    assert_eq!(maps.len(), layers.len());
    for (map, layer) in maps.iter().zip(layers) {
        let want = numbers(&layer["data"]);
        let found = map.iter().flat_map(|head| &head[tokens.len() - 1]);
        assert_eq!(want.len(), map.len() * tokens.len());
        assert!(found.zip(want).all(|(found, want)| (f64::from(*found) - want).abs() < 1e-4));
        for row in map.iter().flatten() {
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        }
    }
}

#[test]
fn greedy_generate_is_the_same_token_for_token() {
    let golden = golden();
    let new = golden["new"].as_u64().expect("a number") as usize;
    let model = model();
    let draft = embedded::load_draft(&model).expect("the draft loads");
    for (key, loaded) in [("greedy", &model), ("draft_greedy", &draft)] {
        for (prompt, want) in golden["model"].as_array().expect("runs").iter().zip(rows(&golden[key])) {
            let settings = Settings { stages: Vec::new(), rules: Engine::Transformers.rules(), greedy: true };
            let source = Cached::new(loaded.model.clone());
            let prompt = ids(&prompt["ids"]);
            let mut lane = Lane::new("a", settings, Box::new(source), &prompt);
            lane.reach(new, 1).expect("steps");
            assert_eq!([prompt, lane.generated()].concat(), want);
        }
    }
}

#[test]
fn a_left_padded_batch_is_the_same_token_for_token() {
    let golden = golden();
    let new = golden["new"].as_u64().expect("a number") as usize;
    let model = model();
    for case in golden["batches"].as_array().expect("batches") {
        let eos = case["eos"].as_u64().map(|id| id as u32);
        let mut batch = Batch::new(&*model.model, &rows(&case["prompts"]), 0, eos).expect("prompts");
        let mut steps = 0;
        while steps < new && batch.goes_on() {
            batch.step(&mut |_, logits| greedy(logits)).expect("a step");
            steps += 1;
        }
        let found: Vec<Vec<u32>> = batch.rows().iter().map(|row| row.tokens.clone()).collect();
        assert_eq!(found, rows(&case["output"]));
        if eos.is_some() {
            assert!(steps < new && batch.rows().iter().all(|row| row.finished), "all rows ended early");
        }
        for row in batch.rows() {
            assert_eq!(row.positions().take(row.padding + 2).last(), Some(1));
            assert_eq!(row.mask().map(usize::from).sum::<usize>(), row.tokens.len() - row.padding);
        }
    }
}

#[test]
fn a_batch_that_cannot_be_is_said() {
    let model = model();
    let refused = |prompts: &[Vec<u32>]| Batch::new(&*model.model, prompts, 0, None).err().expect("refused");
    assert!(refused(&[]).contains("no prompt"));
    assert!(refused(&[vec![1], vec![]]).contains("prompt 1 is empty"));
    assert!(refused(&[vec![1; 257]]).contains("257 tokens; 256 fit"));
    let mut full = Batch::new(&*model.model, &[vec![5; 255]], 0, None).expect("it fits");
    assert!(full.goes_on());
    full.step(&mut |_, logits| greedy(logits)).expect("a step");
    assert!(!full.goes_on());
}

#[test]
fn a_cache_cut_back_and_forked_goes_on_as_a_fresh_one() {
    let mut source = Cached::new(model().model);
    source.feed(&[5, 9, 33, 2]).expect("logits");
    let mut fork = source.fork();
    source.truncate(2);
    assert_eq!((source.len(), fork.len()), (2, 4));
    let again = source.feed(&[70]).expect("logits");
    let fresh = Cached::new(model().model).feed(&[5, 9, 70]).expect("logits");
    assert!(again.iter().zip(&fresh).all(|(a, b)| (a - b).abs() < 1e-4));
    let went_on = fork.feed(&[70]).expect("logits");
    assert!(went_on.iter().zip(&fresh).any(|(a, b)| (a - b).abs() > 1e-2));
}

#[test]
fn what_cannot_be_fed_is_a_sentence_and_changes_nothing() {
    let mut source = Cached::new(model().model);
    source.feed(&[5; 255]).expect("logits");
    for (tokens, word) in [(&[1, 2][..], "context ends at 256"), (&[4096], "token id 4096"), (&[], "no token")] {
        let reason = source.feed(tokens).expect_err("refused");
        assert!(reason.contains(word), "{reason}");
        assert_eq!(source.len(), 255);
    }
    assert!(source.feed(&[1]).is_ok());
}
