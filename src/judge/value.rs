//! What a case lets the judge see: named values, and how near is near enough.

use candle_core::{DType, Tensor};
use serde::{Deserialize, Serialize};

/// How far a float may be from the reference.
///
/// A place is right when `|got − expected| ≤ rtol · max(|expected|, rms)`, where `rms` is the root mean square of the
/// finite expected values: relative to the number itself, and for numbers near zero relative to their neighbours.
/// Infinities and NaN must match exactly.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tolerance {
    /// Relative tolerance.
    pub rtol: f64,
}

impl Tolerance {
    /// `rtol` as given.
    pub const fn relative(rtol: f64) -> Self {
        Self { rtol }
    }

    /// The house tolerance of a dtype: f64 1e-10, f32 1e-5, f16 2e-3, bf16 1.6e-2.
    pub fn of(dtype: DType) -> Self {
        Self::relative(match dtype {
            DType::F64 => 1e-10,
            DType::F16 => 2e-3,
            DType::BF16 => 1.6e-2,
            _ => 1e-5,
        })
    }
}

/// One call of something the attempt was handed (a model, an expert), as it was seen by the one who was called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call(pub String);

/// An observed value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Floats with a shape.
    Tensor {
        /// The dtype the attempt returned; it must equal the reference's.
        dtype: DType,
        /// The shape.
        shape: Vec<usize>,
        /// Row-major values.
        data: Vec<f64>,
        /// How near is near enough.
        tolerance: Tolerance,
    },
    /// Integers with a shape.
    Ints {
        /// The shape.
        shape: Vec<usize>,
        /// Row-major values.
        data: Vec<i64>,
    },
    /// A list of strings (one string is a list of one).
    Text(Vec<String>),
    /// One float.
    Scalar {
        /// The value.
        value: f64,
        /// How near is near enough.
        tolerance: Tolerance,
    },
    /// Yes or no.
    Flag(bool),
    /// A shape alone.
    Shape(Vec<usize>),
    /// What was called, in order ("fed 2×12").
    Calls(Vec<Call>),
    /// Peak memory of a measured stretch. Judged against the bound alone, not against the reference.
    PeakBytes {
        /// What was used above the level at the start.
        bytes: u64,
        /// What may be used.
        bound: u64,
    },
    /// How often each outcome was drawn. Judged against the probabilities by Pearson's chi-square; the draws are
    /// seeded, so the same code always gets the same answer.
    Draws {
        /// Count of each outcome.
        counts: Vec<u64>,
        /// Its probability.
        probabilities: Vec<f64>,
    },
}

impl Value {
    /// Integers of rank one.
    pub fn ints<T: Copy + TryInto<i64>>(values: &[T]) -> Self {
        let data: Vec<i64> = values.iter().map(|&v| v.try_into().unwrap_or(i64::MAX)).collect();
        Self::Ints { shape: vec![data.len()], data }
    }

    /// A list of strings.
    pub fn text<S: AsRef<str>>(lines: &[S]) -> Self {
        Self::Text(lines.iter().map(|line| line.as_ref().to_owned()).collect())
    }

    /// A scalar at f32's tolerance.
    pub fn scalar(value: f64) -> Self {
        Self::Scalar { value, tolerance: Tolerance::of(DType::F32) }
    }

    /// The list of calls.
    pub fn calls<S: AsRef<str>>(lines: &[S]) -> Self {
        Self::Calls(lines.iter().map(|line| Call(line.as_ref().to_owned())).collect())
    }

    /// A tensor at its dtype's tolerance; integer tensors become [`Value::Ints`].
    pub fn tensor(tensor: &Tensor) -> candle_core::Result<Self> {
        Self::tensor_within(tensor, Tolerance::of(tensor.dtype()))
    }

    /// A tensor at a tolerance of its own.
    pub fn tensor_within(tensor: &Tensor, tolerance: Tolerance) -> candle_core::Result<Self> {
        let shape = tensor.dims().to_vec();
        let flat = tensor.flatten_all()?;
        Ok(match tensor.dtype() {
            DType::U8 | DType::U32 | DType::I64 => {
                Self::Ints { shape, data: flat.to_dtype(DType::I64)?.to_vec1::<i64>()? }
            }
            dtype => Self::Tensor { dtype, shape, data: flat.to_dtype(DType::F64)?.to_vec1::<f64>()?, tolerance },
        })
    }

    /// Floats of rank one, as f32.
    pub fn floats(values: &[f32]) -> Self {
        Self::Tensor {
            dtype: DType::F32,
            shape: vec![values.len()],
            data: values.iter().map(|&v| f64::from(v)).collect(),
            tolerance: Tolerance::of(DType::F32),
        }
    }

    /// The word for this kind of value.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Tensor { .. } => "tensor",
            Self::Ints { .. } => "integers",
            Self::Text(_) => "text",
            Self::Scalar { .. } => "scalar",
            Self::Flag(_) => "flag",
            Self::Shape(_) => "shape",
            Self::Calls(_) => "calls",
            Self::PeakBytes { .. } => "peak bytes",
            Self::Draws { .. } => "draws",
        }
    }
}

/// A value with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// Unique within a case.
    pub name: String,
    /// What was seen.
    pub value: Value,
}
