//! Dependencies as package managers leave them: most of the files are small, most of the bytes are in a few programs.

use std::path::Path;
use std::{fs, io};

const PROGRAM: usize = 8_000_000;
/// No file of a package is larger, programs aside.
const LARGEST_SOURCE: usize = 64 << 10;
const FILES_OF_A_PACKAGE: usize = 20;

/// What a directory was filled with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packages {
    pub files: usize,
    pub bytes: usize,
}

/// Fills a directory with at least so many bytes, three of four of them in programs.
///
/// # Errors
/// If something cannot be written.
pub fn make_packages(top: &Path, bytes: usize) -> io::Result<Packages> {
    let mut numbers = Numbers(1);
    let mut made = Packages { files: 0, bytes: 0 };
    let mut of_programs = 0;
    while made.bytes < bytes {
        let is_program = made.bytes * 3 > of_programs * 4;
        let size = match is_program {
            true => PROGRAM,
            false => 1 + LARGEST_SOURCE / (1 + numbers.next() as usize % 64),
        };
        let package = top.join(format!("package-{}/lib", made.files / FILES_OF_A_PACKAGE));
        fs::create_dir_all(&package)?;
        let words = (0..size.div_ceil(8)).flat_map(|_| numbers.next().to_le_bytes());
        let content: Vec<u8> = words.take(size).collect();
        fs::write(package.join(format!("file-{}.js", made.files)), content)?;
        of_programs += if is_program { size } else { 0 };
        made.files += 1;
        made.bytes += size;
    }
    Ok(made)
}

/// Always the same, and nothing that compresses.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
