//! Where the reader's history lies.

use etcetera::BaseStrategy;
use std::path::PathBuf;

/// `$LOGITLINGS_DATA`, or `logitlings` in the platform's data folder (`~/.local/share` on Linux); none where no home is
/// known.
pub fn data_dir() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("LOGITLINGS_DATA").filter(|value| !value.is_empty()) {
        return Some(PathBuf::from(named));
    }
    etcetera::choose_base_strategy().ok().map(|base| base.data_dir().join("logitlings"))
}

/// The database.
pub fn database() -> Option<PathBuf> {
    data_dir().map(|folder| folder.join("store.db"))
}
