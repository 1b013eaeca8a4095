//! Comparison of a reference with values that another library made (tests/golden/generate.py).

use super::case::{Error, Result};
use super::compare::compare;
use super::value::{Observation, Tolerance, Value};
use candle_core::{DType, Device, Shape, Tensor};
use serde_json::Value as Json;

/// A fixture being compared. Every `expect_*` call adds to [`Golden::compared`] or to [`Golden::wrong`].
pub struct Golden {
    fixture: Json,
    /// How many numbers (or strings) were compared.
    pub compared: usize,
    /// One sentence for each value that differs.
    pub wrong: Vec<String>,
}

impl Golden {
    /// Reads a fixture.
    pub fn new(fixture: &str) -> Result<Self> {
        let fixture = serde_json::from_str(fixture).map_err(|e| Error::Message(format!("golden fixture: {e}")))?;
        Ok(Self { fixture, compared: 0, wrong: Vec::new() })
    }

    /// The fixture's top level. Clone what you need before comparing.
    pub fn json(&self) -> &Json {
        &self.fixture
    }

    /// The array under `key` of the top level, cloned.
    pub fn entries(&self, key: &str) -> Result<Vec<Json>> {
        array(&self.fixture, key).map(<[Json]>::to_vec)
    }

    /// Compares one value with another.
    pub fn expect(&mut self, what: &str, expected: Value, got: Value) {
        self.compared += match &expected {
            Value::Tensor { data, .. } => data.len(),
            Value::Ints { data, .. } => data.len(),
            Value::Text(lines) => lines.len().max(1),
            _ => 1,
        };
        let named = |value| [Observation { name: what.to_owned(), value }];
        let differences = compare(&named(expected), &named(got));
        self.wrong.extend(differences.into_iter().map(|m| format!("{what}: {}", m.summary)));
    }

    /// Compares a float tensor with `{"shape": […], "data": […]}`, at `rtol`.
    pub fn expect_tensor(&mut self, what: &str, expected: &Json, got: &Tensor, rtol: f64) -> Result<()> {
        let tolerance = Tolerance::relative(rtol);
        let expected =
            Value::Tensor { dtype: got.dtype(), shape: shape(expected)?, data: floats(expected)?, tolerance };
        self.expect(what, expected, Value::tensor_within(got, tolerance)?);
        Ok(())
    }
}

fn array<'a>(json: &'a Json, key: &str) -> Result<&'a [Json]> {
    json[key].as_array().map(Vec::as_slice).ok_or_else(|| format!("golden fixture: no array \"{key}\"").into())
}

/// A JSON number, or one of the words "inf", "-inf", "nan".
fn float(json: &Json) -> Result<f64> {
    match json {
        Json::String(word) => word.parse().map_err(|_| format!("golden fixture: \"{word}\" is not a number").into()),
        other => other.as_f64().ok_or_else(|| format!("golden fixture: {other} is not a number").into()),
    }
}

/// `shape` of `{"shape", "data"}`.
pub fn shape(json: &Json) -> Result<Vec<usize>> {
    array(json, "shape")?.iter().map(|v| float(v).map(|v| v as usize)).collect()
}

/// `data` of `{"shape", "data"}`.
pub fn floats(json: &Json) -> Result<Vec<f64>> {
    array(json, "data")?.iter().map(float).collect()
}

/// `{"shape", "data"}` as an f32 tensor on the CPU.
pub fn tensor(json: &Json) -> Result<Tensor> {
    let data: Vec<f32> = floats(json)?.into_iter().map(|v| v as f32).collect();
    Ok(Tensor::from_vec(data, Shape::from(shape(json)?), &Device::Cpu)?)
}

/// `{"shape", "data"}` as a tensor of another dtype on the CPU.
pub fn tensor_as(json: &Json, dtype: DType) -> Result<Tensor> {
    Ok(tensor(json)?.to_dtype(dtype)?)
}

/// A flat JSON array of integers.
pub fn ints(json: &Json) -> Result<Vec<i64>> {
    let list = json.as_array().ok_or_else(|| Error::Message(format!("golden fixture: {json} is not an array")))?;
    list.iter().map(|v| float(v).map(|v| v as i64)).collect()
}
