//! The report channel: what was standard output, moved out of the attempt's reach.

use std::fs::File;
use std::io;

/// Returns the process's standard output as a file that no child inherits, and lets everything that is printed from
/// now on go to standard error.
#[cfg(unix)]
#[allow(unsafe_code)]
pub fn take_stdout() -> io::Result<File> {
    use std::os::fd::AsFd;
    let channel = io::stdout().as_fd().try_clone_to_owned()?;
    // SAFETY: both are the process's own standard descriptors.
    if unsafe { libc::dup2(libc::STDERR_FILENO, libc::STDOUT_FILENO) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(File::from(channel))
}

/// Returns the process's standard input as a file that no child inherits; whoever reads standard input from now on finds
/// nothing.
#[cfg(unix)]
#[allow(unsafe_code)]
pub fn take_stdin() -> io::Result<File> {
    use std::os::fd::{AsFd, AsRawFd};
    let questions = io::stdin().as_fd().try_clone_to_owned()?;
    let nothing = File::open("/dev/null")?;
    // SAFETY: both are descriptors of this process, and 0 is its standard input.
    if unsafe { libc::dup2(nothing.as_raw_fd(), libc::STDIN_FILENO) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(File::from(questions))
}

/// Elsewhere standard input is shared with what the attempt reads.
#[cfg(not(unix))]
pub fn take_stdin() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdin().as_handle().try_clone_to_owned()?))
}

/// Elsewhere the channel is standard output itself: what an attempt prints shares it, and the runner passes over lines
/// that are not a report's.
#[cfg(not(unix))]
pub fn take_stdout() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
}
