//! Which bytes of a file a task sees.

use chronos_ir::DataModel;
use chronos_mpi::{Datatype, Predefined};
use std::sync::Arc;

/// A file as a task sees it: from a displacement on, it is tiled with a datatype whose gaps are invisible.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub displacement: u64,
    pub(crate) elementary: Arc<Datatype>,
    pub tile: Arc<Datatype>,
}

/// A visible stretch of the file that holds a stretch of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileRange {
    pub file: u64,
    pub data: u64,
    pub bytes: u64,
}

/// Pieces of a tile, and stretches, that are told apart.
const PIECES: usize = 1 << 16;

impl View {
    /// The file as it is.
    pub fn bytes(model: DataModel) -> Self {
        let byte = Arc::new(Datatype::predefined(Predefined::Byte, model));
        Self { displacement: 0, elementary: byte.clone(), tile: byte }
    }

    /// Without gaps: the file from the displacement on.
    fn is_plain(&self) -> bool {
        i64::try_from(self.tile.size).is_ok_and(|size| size == self.tile.extent()) && self.tile.dense
    }

    /// Where the visible byte behind so many elementary types stands in the file.
    pub fn byte(&self, position: u64) -> u64 {
        let visible = position.saturating_mul(self.elementary.size);
        let first = self.stretches(visible, 1).and_then(|stretches| stretches.first().copied());
        first.map_or(self.displacement.saturating_add(visible), |stretch| stretch.file)
    }

    /// Elementary types that a file of so many bytes shows.
    pub fn visible(&self, size: u64) -> u64 {
        let behind = size.saturating_sub(self.displacement);
        let extent = self.tile.extent().max(1).cast_unsigned();
        let whole = (behind / extent).saturating_mul(self.tile.size);
        let rest = behind % extent;
        let in_rest = self.tile.pieces(1, PIECES).into_iter().flatten().map(|piece| {
            let begin = u64::try_from(piece.memory).unwrap_or(0);
            rest.saturating_sub(begin).min(piece.bytes)
        });
        (whole + in_rest.sum::<u64>()) / self.elementary.size.max(1)
    }

    /// Where `bytes` of data stand whose first is the visible byte `from`; `None` where there are too many stretches.
    pub fn stretches(&self, from: u64, bytes: u64) -> Option<Vec<FileRange>> {
        if self.is_plain() || bytes == 0 {
            let file = self.displacement.saturating_add(from);
            return Some(vec![FileRange { file, data: 0, bytes }]);
        }
        let pieces = self.tile.pieces(1, PIECES).filter(|pieces| !pieces.is_empty())?;
        let (size, extent) = (self.tile.size.max(1), self.tile.extent());
        let end = from.saturating_add(bytes);
        let mut stretches = Vec::new();
        for tile in from / size..=(end - 1) / size {
            let start = i64::try_from(tile).ok()?.checked_mul(extent)?;
            for piece in &pieces {
                let begin = tile * size + piece.data;
                let (first, last) = (begin.max(from), (begin + piece.bytes).min(end));
                if first < last {
                    let at = start.checked_add(piece.memory)?.checked_add_unsigned(first - begin)?;
                    let file = self.displacement.checked_add_signed(at)?;
                    stretches.push(FileRange { file, data: first - from, bytes: last - first });
                }
            }
            if stretches.len() > PIECES {
                return None;
            }
        }
        Some(stretches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_shows_its_pieces() {
        let int = Arc::new(Datatype::predefined(Predefined::Int, DataModel::Lp64));
        // One integer of two.
        let tile = Arc::new(Datatype::contiguous(1, &int).resized(0, 8));
        let view = View { displacement: 16, elementary: int, tile };
        let found = view.stretches(4, 8).expect("few");
        let expected = [FileRange { file: 24, data: 0, bytes: 4 }, FileRange { file: 32, data: 4, bytes: 4 }];
        assert_eq!(found, expected);
        assert_eq!((view.byte(2), view.visible(16 + 20)), (32, 3));
    }
}
