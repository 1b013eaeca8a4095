//! Writing a file so that what was there before stays whole until the new one is.

use std::io::Write;
use std::path::Path;

/// Puts `text` into the place of a file, or makes it. Fails as the file system does.
pub fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    if path.is_dir() {
        return Err(std::io::ErrorKind::IsADirectory.into());
    }
    // A device or a pipe is written to; it cannot be replaced.
    if path.exists() && !path.is_file() {
        return std::fs::write(path, text);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // A temporary file is private; what it becomes is an ordinary file, as the reader's umask has it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.prefix(".logitlings-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
