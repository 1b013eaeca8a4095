//! What goes wrong at speed, in the sampler and in the decode loop.

pub mod generation;
mod loops;
pub mod sampler;
mod samplers;
