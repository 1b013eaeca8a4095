//! A case in a form that can be pasted into a unit test.

use crate::judge::report::CaseReport;

/// The inputs of a case as `let` lines. An input that is too large to print is a comment that describes it.
pub fn inputs(case: &CaseReport) -> String {
    let mut out = String::new();
    for input in &case.inputs {
        let line = match is_code(&input.text) {
            true => format!("let {} = {};\n", input.name, input.text),
            false => format!("// {}: {}\n", input.name, input.text),
        };
        out.push_str(&line);
    }
    out
}

/// The inputs with the case's name above and the device that they ask for.
pub fn snippet(case: &CaseReport) -> String {
    let inputs = inputs(case);
    let device = if inputs.contains("&device") { "let device = candle_core::Device::Cpu;\n" } else { "" };
    format!("// case \"{}\"\n{device}{inputs}", case.name)
}

/// The judge prints an expression where the input is small, and "f32 tensor of shape …" or a cut text where it is not.
fn is_code(text: &str) -> bool {
    let described = ["f32 tensor of shape ", "ids of shape "].iter().any(|start| text.starts_with(start));
    !described && !text.ends_with('…')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::report::{CaseResult, Input};

    #[test]
    fn small_inputs_are_code_and_large_ones_are_described() {
        let input = |name: &str, text: &str| Input { name: name.to_owned(), text: text.to_owned() };
        let case = CaseReport {
            index: 0,
            name: "two heads".to_owned(),
            result: CaseResult::Passed,
            ms: 1.0,
            inputs: vec![
                input("q", "Tensor::new(&[1.0f32], &device)?.reshape(&[1])?"),
                input("k", "f32 tensor of shape [2, 300]"),
                input("prompt", "\"a b\""),
            ],
        };
        assert_eq!(
            snippet(&case),
            "// case \"two heads\"\nlet device = candle_core::Device::Cpu;\nlet q = Tensor::new(&[1.0f32], \
             &device)?.reshape(&[1])?;\n// k: f32 tensor of shape [2, 300]\nlet prompt = \"a b\";\n"
        );
    }
}
