//! Bytes seen as groups of records.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::vec::Vec;

use thiserror::Error;

use super::cache::Cache;
use super::frame::Frame;
use super::group::{
    Context, GroupFault, PreparedDictionary, ZdatGroup, ZdatGroupError, check_frame,
};
use super::header::{ZdatHeader, ZdatHeaderError};
use super::index::{self, Counted, IndexSource, ZdatIndexError};
use super::record::ZdatRecord;

/// The bytes of a `.zdat` file (`Vec<u8>`, `&[u8]`, `include_bytes!`, a
/// [`FileBytes`](crate::FileBytes)) seen as groups of records.
///
/// Opening checks the header and where groups start, and decompresses nothing but a last group
/// whose length is not stated. What is inside the groups is checked as they are decompressed, or
/// all at once by [`ZdatView::verify`]. Records and groups are numbered from 0.
///
/// A view is a [`Dataset`](crate::Dataset).
pub struct ZdatView<D> {
    data: D,
    header: ZdatHeader,
    dictionary: PreparedDictionary,
    groups: Groups,
    /// For those who decompress behind a `&self`.
    contexts: Mutex<Vec<Context>>,
    pub(super) cache: Cache,
    pub(super) in_game_order: std::sync::OnceLock<bool>,
}

/// Why bytes are no `.zdat` file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ZdatViewError {
    /// The header is none.
    #[error("the header is no .zdat header")]
    Header(#[from] ZdatHeaderError),
    /// The index does not fit the data.
    #[error("the index does not fit the data")]
    Index(#[from] ZdatIndexError),
    /// A group cannot be found, or the last one not be counted.
    #[error("the groups do not follow each other as they should")]
    Group(#[from] ZdatGroupError),
}

impl<D: AsRef<[u8]>> ZdatView<D> {
    /// Sees `data` as groups, which are found by walking from frame to frame: no index is needed, but
    /// a byte or so of each frame's blocks is looked at.
    ///
    /// # Errors
    ///
    /// When header or frames are not what they should be; a file that was cut off gives the group
    /// and byte where that shows.
    pub fn new(data: D) -> Result<Self, ZdatViewError> {
        Self::open(data, None).map(|(view, _)| view)
    }

    /// Sees `data` as groups that start where `index`, the bytes of a `.zdat.idx` file, says.
    ///
    /// The count at the start of an index is that of the groups or of the records; whichever fits
    /// the number of offsets is taken.
    ///
    /// # Errors
    ///
    /// When the header is none, or the index does not fit the data.
    pub fn with_index(data: D, index: &[u8]) -> Result<Self, ZdatViewError> {
        let (header, dictionary) = open(data.as_ref())?;
        let groups = Groups::indexed(index, data.as_ref(), &header, &dictionary)?;
        Ok(Self::with_groups(data, header, dictionary, groups))
    }

    /// Sees `data` as groups that start where `index` says, if it is there and fits, and as
    /// [`ZdatView::new`] does otherwise; and says which.
    ///
    /// # Errors
    ///
    /// When the header is none, or no index fits and the frames are not what they should be either.
    pub fn open(data: D, index: Option<&[u8]>) -> Result<(Self, IndexSource), ZdatViewError> {
        let (header, dictionary) = open(data.as_ref())?;
        let bytes = data.as_ref();
        let (groups, source) = match index {
            None => (
                Groups::walk(bytes, &header, &dictionary)?,
                IndexSource::Missing,
            ),
            Some(index) => match Groups::indexed(index, bytes, &header, &dictionary) {
                Ok(groups) => (groups, IndexSource::Read),
                Err(error) => {
                    let groups = Groups::walk(bytes, &header, &dictionary)?;
                    (groups, IndexSource::Damaged(error))
                }
            },
        };
        Ok((Self::with_groups(data, header, dictionary, groups), source))
    }

    fn with_groups(
        data: D,
        header: ZdatHeader,
        dictionary: PreparedDictionary,
        groups: Groups,
    ) -> Self {
        Self {
            data,
            header,
            dictionary,
            groups,
            contexts: Mutex::new(Vec::new()),
            cache: Cache::new(Self::CACHE_BYTES),
            in_game_order: std::sync::OnceLock::new(),
        }
    }

    /// How many bytes of decompressed groups a view keeps for its next [`gather`], unless
    /// [`ZdatView::set_cache_bytes`] says otherwise.
    ///
    /// [`gather`]: crate::Dataset::gather
    pub const CACHE_BYTES: usize = 64 << 20;

    /// Keeps at most so many bytes of decompressed groups from now on; 0 keeps none.
    pub fn set_cache_bytes(&self, bytes: usize) {
        self.cache.set_max_bytes(bytes);
    }

    /// The header.
    #[must_use]
    pub const fn header(&self) -> &ZdatHeader {
        &self.header
    }

    /// The dictionary's bytes; empty if there is none.
    #[must_use]
    pub fn dictionary(&self) -> &[u8] {
        self.data
            .as_ref()
            .get(self.header.dictionary())
            .unwrap_or_default()
    }

    /// The number of the dictionary, unless it has none.
    #[must_use]
    pub const fn dictionary_id(&self) -> Option<u32> {
        match self.dictionary.id() {
            0 => None,
            id => Some(id),
        }
    }

    /// How many records there are.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.groups.records
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.groups.records == 0
    }

    /// How many groups there are.
    #[must_use]
    pub const fn group_count(&self) -> u64 {
        self.groups.offsets.len() as u64 - 1
    }

    /// Where groups start in the file, and its end: one more than there are groups.
    #[must_use]
    pub fn offsets(&self) -> &[u64] {
        &self.groups.offsets
    }

    /// The records of a group.
    ///
    /// # Panics
    ///
    /// When `group` is not under [`ZdatView::group_count`].
    #[must_use]
    pub fn group_records(&self, group: u64) -> Range<u64> {
        self.assert_group(group);
        let batch = u64::from(self.header.batch());
        let start = group * batch;
        start..self.len().min(start + batch)
    }

    /// The compressed frame of a group, as it stands.
    ///
    /// # Panics
    ///
    /// When `group` is not under [`ZdatView::group_count`].
    #[must_use]
    pub fn compressed(&self, group: u64) -> &[u8] {
        self.assert_group(group);
        let (start, end) = (self.offset(group), self.offset(group + 1));
        // Offsets are within the data; bytes that an odd `AsRef` has lost since are not there.
        self.data
            .as_ref()
            .get(start as usize..end as usize)
            .unwrap_or_default()
    }

    fn assert_group(&self, group: u64) {
        let count = self.group_count();
        assert!(group < count, "group {group} of {count}");
    }

    pub(super) fn offset(&self, group: u64) -> u64 {
        self.groups.offsets[group as usize]
    }

    pub(super) fn at(&self, group: u64, error: GroupFault) -> ZdatGroupError {
        let byte_offset = self.offset(group);
        ZdatGroupError {
            group,
            byte_offset,
            error,
        }
    }

    /// A decoder of this view's groups. It keeps what zstd needs from one group to the next; make
    /// one for each thread.
    #[must_use]
    pub fn decoder(&self) -> ZdatDecoder<'_, D> {
        ZdatDecoder {
            view: self,
            context: Context::new(),
        }
    }

    /// Decompresses a group over the contents of `group`, whose memory is used again. A
    /// [`ZdatDecoder`] does the same without a lock.
    ///
    /// # Errors
    ///
    /// When the group is not what it should be.
    ///
    /// # Panics
    ///
    /// When `index` is not under [`ZdatView::group_count`].
    pub fn read_group(&self, index: u64, group: &mut ZdatGroup) -> Result<(), ZdatGroupError> {
        let pooled = self
            .contexts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        let mut context = pooled.unwrap_or_else(Context::new);
        let read = self.read_group_with(index, &mut context, group);
        self.contexts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(context);
        read
    }

    pub(super) fn read_group_with(
        &self,
        index: u64,
        context: &mut Context,
        group: &mut ZdatGroup,
    ) -> Result<(), ZdatGroupError> {
        let records = self.group_records(index);
        group.index = index;
        group.first_record = records.start;
        group.byte_offset = self.offset(index);
        let read = self
            .decompress(index, context, &mut group.bytes)
            .and_then(|()| {
                let found = group.records().len() as u64;
                let expected = records.end - records.start;
                if found == expected {
                    Ok(())
                } else {
                    Err(GroupFault::Records { found, expected })
                }
            });
        read.map_err(|error| {
            group.bytes.clear();
            self.at(index, error)
        })
    }

    fn decompress(
        &self,
        group: u64,
        context: &mut Context,
        bytes: &mut Vec<u8>,
    ) -> Result<(), GroupFault> {
        let compressed = self.compressed(group);
        context.decompress(compressed, &self.header, &self.dictionary, bytes)
    }

    /// A record by its number, through the cache of groups.
    ///
    /// # Errors
    ///
    /// When its group is not what it should be.
    ///
    /// # Panics
    ///
    /// When `index` is past the end.
    pub fn read_record(&self, index: u64) -> Result<ZdatRecord, ZdatGroupError> {
        assert!(index < self.len(), "record {index} of {}", self.len());
        let group = self.cached_group(index / u64::from(self.header.batch()))?;
        Ok(group.records()[(index - group.first_record) as usize])
    }

    pub(super) fn cached_group(&self, index: u64) -> Result<Arc<ZdatGroup>, ZdatGroupError> {
        self.cache
            .get_or_read(index, |group| self.read_group(index, group))
    }

    /// The bytes.
    pub fn into_inner(self) -> D {
        self.data
    }
}

/// Decompresses the groups of a view one by one, in any order; made by [`ZdatView::decoder`].
pub struct ZdatDecoder<'v, D> {
    view: &'v ZdatView<D>,
    context: Context,
}

impl<D: AsRef<[u8]>> ZdatDecoder<'_, D> {
    /// Decompresses a group over the contents of `group`, whose memory is used again.
    ///
    /// # Errors
    ///
    /// When the group is not what it should be; `group` is then empty.
    ///
    /// # Panics
    ///
    /// When `index` is not under [`ZdatView::group_count`].
    pub fn read_group(&mut self, index: u64, group: &mut ZdatGroup) -> Result<(), ZdatGroupError> {
        self.view.read_group_with(index, &mut self.context, group)
    }
}

impl<D> fmt::Debug for ZdatDecoder<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ZdatDecoder")
    }
}

impl<D: AsRef<[u8]>> fmt::Debug for ZdatView<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "ZdatView({} records in {} groups)",
            self.len(),
            self.group_count()
        )
    }
}

fn open(data: &[u8]) -> Result<(ZdatHeader, PreparedDictionary), ZdatHeaderError> {
    let header = ZdatHeader::parse(data)?;
    // In the data, as the header's check has seen.
    let dictionary = PreparedDictionary::new(&data[header.dictionary()]);
    let dictionary = dictionary.ok_or(ZdatHeaderError::DictionaryDamaged)?;
    Ok((header, dictionary))
}

/// Where groups are and how many records they hold.
struct Groups {
    /// Where groups start, and the end of the data.
    offsets: Vec<u64>,
    records: u64,
}

impl Groups {
    /// By what an index says.
    fn indexed(
        index: &[u8],
        data: &[u8],
        header: &ZdatHeader,
        dictionary: &PreparedDictionary,
    ) -> Result<Self, ZdatIndexError> {
        let (offsets, counted) = index::parse(index, header, data.len() as u64)?;
        let groups = Self::count(offsets, data, header, dictionary)?;
        let found = groups.records;
        match counted {
            Counted::Records(count) if count != found => {
                Err(ZdatIndexError::Records { count, found })
            }
            _ => Ok(groups),
        }
    }

    /// By what the frames say of themselves.
    fn walk(
        data: &[u8],
        header: &ZdatHeader,
        dictionary: &PreparedDictionary,
    ) -> Result<Self, ZdatGroupError> {
        let mut offsets = Vec::from([header.data_offset()]);
        let mut rest = &data[header.data_offset() as usize..];
        while !rest.is_empty() {
            let at = (data.len() - rest.len()) as u64;
            let frame = walk_over(rest, header, dictionary).map_err(|error| ZdatGroupError {
                group: offsets.len() as u64 - 1,
                byte_offset: at,
                error,
            })?;
            rest = &rest[frame..];
            offsets.push(at + frame as u64);
        }
        Self::count(offsets, data, header, dictionary)
    }

    /// Counts the last group's records; all others are full.
    fn count(
        offsets: Vec<u64>,
        data: &[u8],
        header: &ZdatHeader,
        dictionary: &PreparedDictionary,
    ) -> Result<Self, ZdatGroupError> {
        let [.., start, end] = offsets[..] else {
            let records = 0;
            return Ok(Self { offsets, records });
        };
        let group = offsets.len() as u64 - 2;
        let compressed = &data[start as usize..end as usize];
        let in_last = count_records(compressed, header, dictionary).map_err(|error| {
            let byte_offset = start;
            ZdatGroupError {
                group,
                byte_offset,
                error,
            }
        })?;
        let records = group * u64::from(header.batch()) + in_last;
        Ok(Self { offsets, records })
    }
}

/// The length of the frame at the start of `rest`, which must be full unless it is the last.
fn walk_over(
    rest: &[u8],
    header: &ZdatHeader,
    dictionary: &PreparedDictionary,
) -> Result<usize, GroupFault> {
    let frame = Frame::parse(rest)?;
    check_frame(&frame, frame.len, header, dictionary)?;
    let expected = u64::from(header.batch());
    match frame
        .content_size
        .map(|size| size / ZdatRecord::BYTES as u64)
    {
        Some(found) if found != expected && frame.len != rest.len() => {
            Err(GroupFault::Records { found, expected })
        }
        _ => Ok(frame.len),
    }
}

/// How many records a frame holds: as it says, or else by decompressing it.
fn count_records(
    compressed: &[u8],
    header: &ZdatHeader,
    dictionary: &PreparedDictionary,
) -> Result<u64, GroupFault> {
    let frame = Frame::parse(compressed)?;
    check_frame(&frame, compressed.len(), header, dictionary)?;
    let bytes = match frame.content_size {
        Some(bytes) => bytes,
        None => {
            let mut bytes = Vec::new();
            Context::new().decompress(compressed, header, dictionary, &mut bytes)?;
            bytes.len() as u64
        }
    };
    Ok(bytes / ZdatRecord::BYTES as u64)
}
