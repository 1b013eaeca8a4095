//! What goes wrong at speed, in the sampler and in the decode loop.

pub mod generation;
pub mod loops;
pub mod sampler;
pub mod samplers;
