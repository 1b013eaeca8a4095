//! GPT-2's byte-level alphabet: every byte becomes a character that can be printed, and back.

/// The text's UTF-8 bytes, each as its character.
pub fn encode(text: &str) -> String {
    let _ = text;
    todo!("a table of 256 characters")
}

/// The bytes that the characters stand for; `None` if one of them stands for no byte.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let _ = text;
    todo!("the table backwards")
}

logitlings::attempt!(tokenization::byte_level, { encode, decode });
