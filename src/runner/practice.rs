//! The practice folder: the reader's own Cargo package, which shares what the program's own build has compiled.
//!
//! Cargo reuses a compiled dependency when version, features, profile and flags agree. So the folder gets the clone's lock
//! file, its `target` and its profile, and depends on this library with the features of the running program: only
//! logitlings itself is built once more.

use super::Error;
use crate::pack;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Everything between these two lines of the folder's Cargo.toml is ours; the rest is the reader's.
const BEGIN: &str = "# >>> written by logitlings; add your own dependencies below the last line of this part";
const END: &str = "# <<< written by logitlings";

/// Name of the package; also the name of the profile override.
const PACKAGE: &str = "practice";

/// The bin that judges a text that is not a file of the folder.
pub(super) const SCRATCH: &str = "scratch";

/// The bin of a problem's file. The clone's skeletons are programs of the same target folder and have the slug alone: under
/// one name, a `check` and a run at the same time would judge each other's programs.
pub(super) fn bin_name(slug: &str) -> String {
    format!("my-{slug}")
}

/// A reader's practice folder.
#[derive(Clone, Debug)]
pub struct Practice {
    root: PathBuf,
    clone: Option<PathBuf>,
}

/// What [`Practice::ensure`] had to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ensured {
    /// True: the folder did not exist before.
    pub created: bool,
    /// Slugs whose files were added.
    pub added: Vec<String>,
}

impl Practice {
    /// `dir` if given, then `$LOGITLINGS_DIR`, then `practice` in the clone that the program was built from, then
    /// `~/logitlings`.
    pub fn locate(dir: Option<PathBuf>) -> Result<Self, Error> {
        let clone = clone();
        let named = dir.or_else(|| std::env::var_os("LOGITLINGS_DIR").filter(|v| !v.is_empty()).map(PathBuf::from));
        let root = match (named, &clone) {
            (Some(dir), _) => std::path::absolute(&dir).map_err(|e| Error::file("find", &dir, e))?,
            (None, Some(clone)) => clone.join("practice"),
            (None, None) => {
                let home = etcetera::home_dir().map_err(|_| Error::NoHome)?;
                home.join("logitlings")
            }
        };
        Ok(Self { root, clone })
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The clone that the program was built from, where it still is.
    pub fn clone_root(&self) -> Option<&Path> {
        self.clone.as_deref()
    }

    /// The reader's file of a problem.
    pub fn file(&self, slug: &str) -> Result<PathBuf, Error> {
        let entry = pack::find(slug).ok_or_else(|| Error::UnknownProblem(slug.to_owned()))?;
        Ok(self.root.join(entry.topic.slug()).join(format!("{slug}.rs")))
    }

    /// The file that judges texts from elsewhere.
    pub(super) fn scratch(&self) -> PathBuf {
        self.root.join(".judge").join("scratch.rs")
    }

    /// Writes what is missing. A file of the reader's that exists is never touched.
    pub fn ensure(&self) -> Result<Ensured, Error> {
        let mut done = Ensured { created: !self.root.exists(), ..Ensured::default() };
        self.folder(&self.root.join(".judge"))?;
        self.folder(&self.root.join(".cargo"))?;
        self.write_manifest()?;
        self.write_if_changed(&self.root.join(".cargo/config.toml"), &self.config())?;
        self.follow_lock()?;
        for entry in pack::all() {
            let file = self.file(entry.slug)?;
            if let Some(folder) = file.parent() {
                self.folder(folder)?;
            }
            if create_new(&file, entry.skeleton)? {
                done.added.push(entry.slug.to_owned());
            }
        }
        create_new(&self.scratch(), "fn main() {}\n")?;
        create_new(&self.root.join(".gitignore"), "/target\n/.judge\n")?;
        Ok(done)
    }

    /// The text of the reader's file.
    pub fn read(&self, slug: &str) -> Result<String, Error> {
        let file = self.file(slug)?;
        read_text(&file)
    }

    /// Writes the skeleton back and returns what was there. The caller has put that into the store before.
    pub fn reset(&self, slug: &str) -> Result<String, Error> {
        let entry = pack::find(slug).ok_or_else(|| Error::UnknownProblem(slug.to_owned()))?;
        let file = self.file(slug)?;
        let old = match fs::read(&file) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Error::file("read", &file, error)),
        };
        replace(&file, entry.skeleton)?;
        Ok(old)
    }

    fn folder(&self, path: &Path) -> Result<(), Error> {
        fs::create_dir_all(path).map_err(|error| Error::file("create the folder", path, error))
    }

    fn write_if_changed(&self, path: &Path, text: &str) -> Result<(), Error> {
        if fs::read_to_string(path).is_ok_and(|old| old == text) { Ok(()) } else { replace(path, text) }
    }

    fn write_manifest(&self) -> Result<(), Error> {
        let path = self.root.join("Cargo.toml");
        let ours = self.manifest();
        let text = match fs::read_to_string(&path) {
            Ok(old) => match (old.find(BEGIN), old.find(END)) {
                (Some(from), Some(to)) if from < to => {
                    format!("{}{ours}{}", &old[..from], old[to + END.len()..].trim_start_matches('\n'))
                }
                // Somebody took our marks away: their file is theirs, and cargo will say what it lacks.
                _ => return Ok(()),
            },
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => ours,
            Err(error) => return Err(Error::file("read", &path, error)),
        };
        self.write_if_changed(&path, &text)
    }

    fn manifest(&self) -> String {
        let features: Vec<String> =
            FEATURES.iter().filter(|(_, on)| *on).map(|(name, _)| format!("{name:?}")).collect();
        let place = match &self.clone {
            Some(clone) => format!("path = {:?}", clone.display().to_string()),
            None => format!("version = \"={}\"", env!("CARGO_PKG_VERSION")),
        };
        let bin = |name: &str, path: &str| format!("\n[[bin]]\nname = \"{name}\"\npath = \"{path}\"\ntest = false\n");
        let bins: String = pack::all()
            .map(|entry| bin(&bin_name(entry.slug), &format!("{}/{}.rs", entry.topic.slug(), entry.slug)))
            .collect();
        format!(
            "{BEGIN}\n[workspace]\n\n[package]\nname = \"{PACKAGE}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\
             autobins = false\n\n[dependencies]\ncandle-core = \"0.11.1\"\ncandle-nn = \"0.11.1\"\n\
             logitlings = {{ {place}, default-features = false, features = [{}] }}\n\n\
             [profile.release]\ndebug = false\n\n\
             # Your own arithmetic panics when it overflows, instead of going on with a wrong number.\n\
             [profile.release.package.{PACKAGE}]\noverflow-checks = true\n{}{bins}{END}\n",
            features.join(", "),
            bin(SCRATCH, ".judge/scratch.rs"),
        )
    }

    fn config(&self) -> String {
        let Some(clone) = &self.clone else {
            return "[build]\nrustflags = [\"-C\", \"target-cpu=native\"]\n".to_owned();
        };
        let target = format!("target-dir = {:?}\n", clone.join("target").display().to_string());
        // Inside the clone cargo reads the clone's own flags as well, and would add ours to them.
        let flags = if self.root.starts_with(clone) { "" } else { "rustflags = [\"-C\", \"target-cpu=native\"]\n" };
        format!("[build]\n{target}{flags}")
    }

    /// Takes the clone's lock file over whenever that has changed; cargo then only strikes out what is not needed here.
    fn follow_lock(&self) -> Result<(), Error> {
        let Some(theirs) = self.clone.as_ref().and_then(|clone| fs::read_to_string(clone.join("Cargo.lock")).ok())
        else {
            return Ok(());
        };
        let seen = self.root.join(".judge").join("Cargo.lock.taken");
        let here = self.root.join("Cargo.lock");
        if here.exists() && fs::read_to_string(&seen).is_ok_and(|old| old == theirs) {
            return Ok(());
        }
        replace(&here, &theirs)?;
        replace(&seen, &theirs)
    }
}

/// The features of the running program.
const FEATURES: &[(&str, bool)] = &[
    ("app", cfg!(feature = "app")),
    ("cuda", cfg!(feature = "cuda")),
    ("metal", cfg!(feature = "metal")),
    ("mkl", cfg!(feature = "mkl")),
    ("accelerate", cfg!(feature = "accelerate")),
];

fn clone() -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    (root.join("Cargo.toml").exists() && root.join("exercises").exists()).then_some(root)
}

/// Reads a file that may not be UTF-8 in full.
pub(super) fn read_text(path: &Path) -> Result<String, Error> {
    let bytes = fs::read(path).map_err(|error| Error::file("read", path, error))?;
    String::from_utf8(bytes).map_err(|_| Error::NotText(path.to_owned()))
}

/// Creates a file if there is none; says whether it did. Two programs at once cannot overwrite each other's.
fn create_new(path: &Path, text: &str) -> Result<bool, Error> {
    if path.exists() {
        return Ok(false);
    }
    match fs::OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(mut file) => file.write_all(text.as_bytes()).map(|()| true).map_err(|e| Error::file("write", path, e)),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(Error::file("create", path, error)),
    }
}

/// Replaces a file as a whole: a reader of it sees the old text or the new one.
pub(super) fn replace(path: &Path, text: &str) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let write = || -> std::io::Result<()> {
        let mut file = builder().tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|error| Error::file("write", path, error))
}

fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".logitlings-");
    // A temporary file is private; what it becomes is an ordinary file, as the reader's umask has it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}
