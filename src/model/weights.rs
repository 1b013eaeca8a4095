//! Tensors by name out of the bytes of a safetensors file.

use super::error::{Error, Result};
use candle_core::safetensors::SliceSafetensors;
use candle_core::{DType, Device, Shape, Tensor};

/// A safetensors file and where its tensors go.
pub struct Weights<'a> {
    file: SliceSafetensors<'a>,
    /// "transformer." where the file's names begin with it, as those of `GPT2LMHeadModel` do.
    prefix: &'static str,
    dtype: DType,
    device: &'a Device,
}

impl<'a> Weights<'a> {
    /// Reads the header.
    pub fn new(bytes: &'a [u8], dtype: DType, device: &'a Device) -> Result<Self> {
        let file = SliceSafetensors::new(bytes).map_err(|e| Error::NotSafetensors(first_line(&e)))?;
        let prefix = if file.get("transformer.wte.weight").is_ok() { "transformer." } else { "" };
        Ok(Self { file, prefix, dtype, device })
    }

    /// The tensor `name` (without the prefix) in our dtype on our device; it must have this shape.
    pub fn tensor(&self, name: &str, shape: impl Into<Shape>) -> Result<Tensor> {
        self.exact(&format!("{}{name}", self.prefix), shape)
    }

    /// The tensor of exactly this name.
    pub fn exact(&self, name: &str, shape: impl Into<Shape>) -> Result<Tensor> {
        let expected = shape.into().into_dims();
        let got = self.file.get(name).map_err(|_| Error::MissingTensor(name.to_owned()))?.shape().to_vec();
        if got != expected {
            return Err(Error::TensorShape { name: name.to_owned(), expected, got });
        }
        Ok(self.file.load(name, self.device)?.to_dtype(self.dtype)?)
    }
}

/// candle appends a backtrace to its errors where one is switched on.
fn first_line(error: &candle_core::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}
