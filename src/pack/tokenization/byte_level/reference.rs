//! GPT-2's reversible map from bytes to characters that can be printed (Radford et al. 2019, `encoder.py`).

/// The character of each byte: itself where it is printable and no space, otherwise the next free one from 256 on.
fn table() -> [char; 256] {
    let printable = |byte: u32| matches!(byte, 33..=126 | 161..=172 | 174..=255);
    let mut next = 256;
    std::array::from_fn(|byte| {
        let byte = byte as u32;
        let code = if printable(byte) {
            byte
        } else {
            next += 1;
            next - 1
        };
        char::from_u32(code).unwrap_or('\u{fffd}') // 0 … 323 are all characters
    })
}

/// The text's UTF-8 bytes, each as its character.
pub fn encode(text: &str) -> String {
    let table = table();
    text.bytes().map(|byte| table[usize::from(byte)]).collect()
}

/// The bytes that the characters stand for; none if one of them stands for no byte.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let mut byte_of = [None; 256 + 68]; // by the character's code
    (0..=255u8).zip(table()).for_each(|(byte, c)| byte_of[c as usize] = Some(byte));
    text.chars().map(|c| *byte_of.get(c as usize)?).collect()
}
