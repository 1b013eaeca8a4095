//! The device that cases run on.

use candle_core::Device;
use std::str::FromStr;

/// What a reader asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// CUDA, then Metal, then the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// One CUDA device.
    Cuda(usize),
    /// The Metal device.
    Metal,
}

impl FromStr for DeviceChoice {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "metal" => Ok(Self::Metal),
            "cuda" => Ok(Self::Cuda(0)),
            _ => word
                .strip_prefix("cuda:")
                .and_then(|n| n.parse().ok())
                .map(Self::Cuda)
                .ok_or_else(|| format!("\"{word}\" is no device: use auto, cpu, cuda:N or metal")),
        }
    }
}

impl std::fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(n) => write!(f, "cuda:{n}"),
            Self::Metal => f.write_str("metal"),
        }
    }
}

impl DeviceChoice {
    /// Opens the device. `Auto` never fails: what cannot be used is passed over, and [`name`] tells what was taken.
    /// Anything else fails with a sentence that says what to do.
    pub fn open(self) -> Result<Device, String> {
        match self {
            Self::Auto => Ok(accelerator().unwrap_or(Device::Cpu)),
            Self::Cpu => Ok(Device::Cpu),
            Self::Cuda(n) => Device::new_cuda(n).map_err(|e| unusable(&format!("cuda:{n}"), "cuda", &e)),
            Self::Metal => Device::new_metal(0).map_err(|e| unusable("metal", "metal", &e)),
        }
    }
}

fn accelerator() -> Option<Device> {
    if candle_core::utils::cuda_is_available() {
        return Device::new_cuda(0).ok();
    }
    if candle_core::utils::metal_is_available() { Device::new_metal(0).ok() } else { None }
}

fn unusable(device: &str, feature: &str, error: &candle_core::Error) -> String {
    let line = error.to_string().lines().next().unwrap_or_default().to_owned();
    format!(
        "{device} cannot be used ({line}). Build with `--features {feature}` on a machine that has one, or use --device cpu"
    )
}

/// The device as reports name it.
pub fn name(device: &Device) -> String {
    match device.location() {
        candle_core::DeviceLocation::Cpu => "cpu".to_owned(),
        candle_core::DeviceLocation::Cuda { gpu_id } => format!("cuda:{gpu_id}"),
        candle_core::DeviceLocation::Metal { gpu_id } => format!("metal:{gpu_id}"),
    }
}
