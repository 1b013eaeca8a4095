//! A case: inputs from its seed, and the observations it makes.

use super::meter;
use super::report::Input;
use super::value::{Observation, Value};
use candle_core::{Device, Shape, Tensor};
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use std::fmt::Debug;
use std::ops::Range;

/// What a case or an attempt can fail with.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A tensor operation failed.
    #[error(transparent)]
    Candle(#[from] candle_core::Error),
    /// Anything else, in words.
    #[error("{0}")]
    Message(String),
}

impl From<String> for Error {
    fn from(text: String) -> Self {
        Self::Message(text)
    }
}

impl From<&str> for Error {
    fn from(text: &str) -> Self {
        Self::Message(text.to_owned())
    }
}

/// Result of a case.
pub type Result<T> = std::result::Result<T, Error>;

/// Inputs with at most this many elements are printed in full.
const PRINTED: usize = 64;

/// One run of one case with one implementation. Every run of a case sees the same inputs, whichever implementation and
/// device it runs with: all randomness comes from the case's own seed and is made on the CPU.
pub struct Case {
    device: Device,
    rng: ChaCha8Rng,
    pub(super) observations: Vec<Observation>,
    pub(super) inputs: Vec<Input>,
}

impl Case {
    /// A case whose inputs are seeded by its problem and name.
    pub fn new(problem: &str, name: &str, device: &Device) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(fnv1a(&[problem.as_bytes(), b"/", name.as_bytes()]));
        Self { device: device.clone(), rng, observations: Vec::new(), inputs: Vec::new() }
    }

    /// The device that the case's tensors live on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// A uniform number in [0, 1) from the case's generator: 53 random bits.
    pub fn uniform(&mut self) -> f64 {
        unit(&mut self.rng)
    }

    /// An integer of `range` (for ranges below 2³²).
    pub fn int(&mut self, range: Range<i64>) -> i64 {
        let width = (range.end - range.start) as f64;
        range.start + (self.uniform() * width) as i64
    }

    /// A standard normal number (Box–Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// A generator of its own, split off the case's: hand it to an attempt as its source of uniforms.
    pub fn source(&mut self) -> impl FnMut() -> f64 + use<> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.rng.next_u64());
        move || unit(&mut rng)
    }

    /// An f32 tensor of standard normals, recorded as the input `name`.
    pub fn randn(&mut self, name: &str, shape: impl Into<Shape>) -> Result<Tensor> {
        self.randn_scaled(name, shape, 0.0, 1.0)
    }

    /// An f32 tensor of normals with this mean and standard deviation, recorded as the input `name`.
    pub fn randn_scaled(&mut self, name: &str, shape: impl Into<Shape>, mean: f64, std: f64) -> Result<Tensor> {
        let shape = shape.into();
        let data: Vec<f32> = (0..shape.elem_count()).map(|_| (mean + std * self.normal()) as f32).collect();
        self.tensor(name, &data, shape)
    }

    /// A tensor of the given f32 values, recorded as the input `name`.
    pub fn tensor(&mut self, name: &str, data: &[f32], shape: impl Into<Shape>) -> Result<Tensor> {
        let shape = shape.into();
        let text = print_tensor(data, &shape);
        self.inputs.push(Input { name: name.to_owned(), text });
        Ok(Tensor::from_slice(data, shape, &self.device)?)
    }

    /// A tensor of the given u32 values (token ids, masks), recorded as the input `name`.
    pub fn ids(&mut self, name: &str, data: &[u32], shape: impl Into<Shape>) -> Result<Tensor> {
        let shape = shape.into();
        let text = if data.len() <= PRINTED {
            format!("Tensor::new(&{data:?}, &device)?.reshape(&{:?})?", shape.dims())
        } else {
            format!("ids of shape {:?}", shape.dims())
        };
        self.inputs.push(Input { name: name.to_owned(), text });
        Ok(Tensor::from_slice(data, shape, &self.device)?)
    }

    /// Records an input that is not a tensor and hands it back.
    pub fn given<T: Debug>(&mut self, name: &str, value: T) -> T {
        let mut text = format!("{value:?}");
        if text.chars().count() > 600 {
            text = text.chars().take(600).chain("…".chars()).collect();
        }
        self.inputs.push(Input { name: name.to_owned(), text });
        value
    }

    /// Lets the judge see a value. Names are unique within a case.
    pub fn observe(&mut self, name: &str, value: Value) {
        self.observations.push(Observation { name: name.to_owned(), value });
    }

    /// Lets the judge see a tensor at its dtype's tolerance.
    pub fn observe_tensor(&mut self, name: &str, tensor: &Tensor) -> Result<()> {
        self.observe(name, Value::tensor(tensor)?);
        Ok(())
    }

    /// Runs `work` and observes, as `name`, whether its peak memory stayed within `bound` bytes above the level before.
    /// On an accelerator nothing is observed: the meter counts the host's allocations only.
    pub fn within_memory<T>(&mut self, name: &str, bound: u64, work: impl FnOnce() -> T) -> T {
        let (value, bytes) = meter::peak_of(work);
        if self.device.is_cpu() {
            self.observe(name, Value::PeakBytes { bytes, bound });
        }
        value
    }
}

fn unit(rng: &mut impl RngCore) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

fn print_tensor(data: &[f32], shape: &Shape) -> String {
    if data.len() > PRINTED {
        return format!("f32 tensor of shape {:?}", shape.dims());
    }
    let numbers: Vec<String> = data.iter().map(|v| print_f32(*v)).collect();
    format!("Tensor::new(&[{}], &device)?.reshape(&{:?})?", numbers.join(", "), shape.dims())
}

fn print_f32(v: f32) -> String {
    match v {
        v if v.is_nan() => "f32::NAN".to_owned(),
        f32::INFINITY => "f32::INFINITY".to_owned(),
        f32::NEG_INFINITY => "f32::NEG_INFINITY".to_owned(),
        v => format!("{v:?}f32"),
    }
}

/// FNV-1a, 64 bit: a stable hash, so that seeds never move between versions.
fn fnv1a(parts: &[&[u8]]) -> u64 {
    parts
        .concat()
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
