//! The README against the program: its key table is the command table's.

use logitlings::app::commands::readme_table;

const BEGIN: &str = "<!-- keys -->\n";
const END: &str = "<!-- /keys -->";

/// `UPDATE_README=1 cargo test --release --test readme` writes the table instead of comparing it.
#[test]
fn the_key_table_is_that_of_the_program() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let text = std::fs::read_to_string(path).expect("README.md");
    let from = text.find(BEGIN).expect("the mark <!-- keys -->") + BEGIN.len();
    let to = text.find(END).expect("the mark <!-- /keys -->");
    if std::env::var_os("UPDATE_README").is_some() {
        let new = format!("{}{}{}", &text[..from], readme_table(), &text[to..]);
        std::fs::write(path, new).expect("README.md");
        return;
    }
    assert_eq!(&text[from..to], readme_table(), "run with UPDATE_README=1 to write the table");
}

#[test]
fn every_subcommand_is_mentioned() {
    let text = include_str!("../README.md");
    for name in
        ["list", "show", "run", "watch", "hint", "solution", "reset", "versions", "export", "import", "check", "doctor"]
    {
        assert!(text.contains(&format!("logitlings {name}")) || text.contains(&format!("`{name}`")), "{name}");
    }
}
