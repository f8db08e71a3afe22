//! The objects that commits added to their history, written as a pack in process. Large ones, and whatever is unusual, are left
//! to git, which writes them piece by piece.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use gix_hash::ObjectId;
use gix_object::Kind;
use gix_object::tree::EntryKind;
use gix_pack::data::Version;
use gix_pack::data::entry::Header;
use gix_zlib::stream::deflate::{Compress, FlushCompress};
use gix_zlib::{Compression, Status};
use orchestra_core::CommitId;

use crate::history::Parting;
use crate::objects::Objects;
use crate::repository::Repository;
use crate::tree_changes::TreeChanges;

const MOST_OBJECTS: usize = 20_000;
const MOST_BYTES: usize = 64 * 1024 * 1024;

impl Repository {
    /// Writes what only the first commit leads to into a new file. `None`: git has to do it.
    pub(super) fn pack_directly(
        &self,
        file: &Path,
        commit: &CommitId,
        known: &CommitId,
    ) -> Option<()> {
        let parting = self.part_directly(commit, known)?;
        self.directly(|store| {
            let objects = store.objects();
            let wanted = added(&objects, &parting)?;
            write(file, &objects, &wanted).ok()
        })
    }
}

/// Every object that is not in the commit before, so that together with the fork nothing is missing.
fn added(objects: &Objects, parting: &Parting) -> Option<Vec<(ObjectId, Kind)>> {
    let mut seen = HashSet::new();
    let mut wanted = Vec::new();
    let mut before = objects.tree_of(&parting.fork).ok()?;
    for commit in parting.own.iter().rev() {
        let id = ObjectId::from_hex(commit.as_str().as_bytes()).ok()?;
        let tree = objects.tree_of(commit).ok()?;
        let changes = TreeChanges::between(objects, &before, &tree)?;
        let trees = changes.trees.into_iter().map(|id| (id, Kind::Tree));
        let files = changes.paths.into_iter().filter_map(|path| path.after);
        let files = files.filter(|entry| entry.kind != EntryKind::Commit);
        let files = files.map(|entry| (entry.id, Kind::Blob));
        let all = [(id, Kind::Commit)].into_iter().chain(trees).chain(files);
        wanted.extend(all.filter(|(id, _)| seen.insert(*id)));
        if wanted.len() > MOST_OBJECTS {
            return None;
        }
        before = tree;
    }
    Some(wanted)
}

fn write(path: &Path, objects: &Objects, wanted: &[(ObjectId, Kind)]) -> io::Result<()> {
    let mut pack = Hashed {
        file: BufWriter::new(File::create(path)?),
        hasher: gix_hash::hasher(gix_hash::Kind::Sha1),
    };
    let count = u32::try_from(wanted.len()).map_err(io::Error::other)?;
    pack.write_all(&gix_pack::data::header::encode(Version::V2, count))?;
    let mut deflate = Deflate::new();
    let (mut buffer, mut bytes) = (Vec::new(), 0);
    for (id, kind) in wanted {
        let content = objects.read(id, *kind, &mut buffer);
        let content = content.map_err(io::Error::other)?;
        bytes += content.len();
        if bytes > MOST_BYTES {
            return Err(io::Error::other("there is much to keep"));
        }
        header_of(*kind).write_to(content.len() as u64, &mut pack)?;
        pack.write_all(deflate.once(content)?)?;
    }
    pack.finish()
}

fn header_of(kind: Kind) -> Header {
    match kind {
        Kind::Commit => Header::Commit,
        Kind::Tree => Header::Tree,
        Kind::Blob => Header::Blob,
        Kind::Tag => Header::Tag,
    }
}

/// Compresses one piece after another. Making its tables takes longer than most objects do.
struct Deflate {
    compress: Compress,
    output: Vec<u8>,
}

impl Deflate {
    fn new() -> Self {
        Self {
            compress: Compress::new(Compression::BEST_SPEED),
            output: vec![0; 64 * 1024],
        }
    }

    fn once(&mut self, content: &[u8]) -> io::Result<&[u8]> {
        self.compress.reset();
        let (mut read, mut written) = (0, 0);
        loop {
            let (input, room) = (&content[read..], &mut self.output[written..]);
            let status = self.compress.compress(input, room, FlushCompress::Finish);
            let status = status.map_err(io::Error::other)?;
            read = usize::try_from(self.compress.total_in()).map_err(io::Error::other)?;
            written = usize::try_from(self.compress.total_out()).map_err(io::Error::other)?;
            if status == Status::StreamEnd {
                return Ok(&self.output[..written]);
            }
            self.output.resize(self.output.len() * 2, 0);
        }
    }
}

/// A file that ends in the checksum of what was written to it.
struct Hashed {
    file: BufWriter<File>,
    hasher: gix_hash::Hasher,
}

impl Hashed {
    fn finish(mut self) -> io::Result<()> {
        let checksum = self.hasher.try_finalize().map_err(io::Error::other)?;
        self.file.write_all(checksum.as_slice())?;
        self.file.flush()
    }
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_all(bytes)?;
        self.hasher.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
