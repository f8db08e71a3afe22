//! Dependencies as package managers leave them: most of the files are small, most of the bytes are in a few programs.

use std::fs;
use std::path::Path;

use crate::Outcome;

const MEGABYTE: usize = 1_000_000;
const PROGRAM: usize = 8 * MEGABYTE;
/// No file of a package is larger, programs aside.
const LARGEST_SOURCE: u64 = 64 << 10;
/// Three of four bytes are in programs.
const PROGRAMS: f64 = 0.75;
const FILES_OF_A_PACKAGE: usize = 20;

/// Fills a directory with so many bytes, and answers how many files and megabytes it has.
pub(super) fn make(top: &Path, bytes: usize) -> Outcome<(usize, usize)> {
    let mut numbers = Numbers(1);
    let (mut files, mut made, mut programs) = (0, 0, 0);
    while made < bytes {
        let is_program = (made as f64) * PROGRAMS > programs as f64;
        let size = match is_program {
            true => PROGRAM,
            false => 1 + usize::try_from(LARGEST_SOURCE / (1 + numbers.next() % 64))?,
        };
        let package = top.join(format!("package-{}/lib", files / FILES_OF_A_PACKAGE));
        fs::create_dir_all(&package)?;
        let words = (0..size.div_ceil(8)).flat_map(|_| numbers.next().to_le_bytes());
        let content: Vec<u8> = words.take(size).collect();
        fs::write(package.join(format!("file-{files}.js")), content)?;
        programs += if is_program { size } else { 0 };
        (files, made) = (files + 1, made + size);
    }
    Ok((files, made / MEGABYTE))
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
