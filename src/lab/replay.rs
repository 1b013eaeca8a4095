//! A recorded run, run again.

use super::embedded::Loaded;
use super::engine::Workbench;
use super::recipe::Recipe;
use super::record::{LaneRecord, Record};

/// Runs a record's lanes again, each step under the sampler that made it, forcing what was forced. Fails with a sentence
/// where the record was made with another model or tokenizer, or asks for what cannot be.
pub fn replay(loaded: &Loaded, record: &Record) -> Result<Record, String> {
    if record.model != loaded.card.name {
        return Err(format!(
            "the record was made with the model \"{}\"; this is \"{}\"",
            record.model, loaded.card.name
        ));
    }
    let recipes: Vec<Recipe> = record.lanes.iter().map(recipe).collect::<Result<_, _>>()?;
    let mut bench = Workbench::with(loaded.clone(), &record.prompt, record.seed, &recipes)?;
    let prompt = bench.lanes().lanes().first().map(|lane| lane.prompt().to_vec()).unwrap_or_default();
    if prompt != record.prompt_ids {
        return Err("the record's prompt has other tokens here: it was made with another tokenizer".to_owned());
    }
    for (index, lane) in record.lanes.iter().enumerate() {
        bench.again(index, lane).map_err(|reason| format!("lane {}: {reason}", lane.name))?;
    }
    Ok(bench.record())
}

fn recipe(lane: &LaneRecord) -> Result<Recipe, String> {
    lane.settings.parse().map_err(|reason| format!("lane {}: {reason}", lane.name))
}

impl Workbench {
    fn again(&mut self, index: usize, record: &LaneRecord) -> Result<(), String> {
        let (seed, settings) = (self.lanes().seed(), recipe(record)?.settings());
        let lane = self.lane(index)?;
        lane.rename(&record.name);
        for step in &record.steps {
            let made_by: Option<Recipe> = step.settings.as_ref().map(|text| text.parse()).transpose()?;
            lane.prepare(made_by.map_or_else(|| settings.clone(), |recipe| recipe.settings()));
            lane.forward(seed)?;
            if step.forced {
                lane.force(step.token)?;
            }
        }
        lane.prepare(settings);
        if record.ended.is_some() {
            // The reason is a part of the record; that it cannot go on is not a failure of the replay.
            let _ = lane.forward(seed);
        }
        Ok(())
    }
}
