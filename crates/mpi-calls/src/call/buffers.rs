//! Buffers that arguments describe.

use crate::call::{Call, Refusal};
use crate::codes;
use crate::data::blocks::{BlockPlace, Blocks};
use crate::data::buffer::{Buffer, Data, moved};
use crate::data::cross_object;
use chronos_base::diag::Diagnostic;
use chronos_ir::ScalarType;
use chronos_values::array::SharedElements;
use std::sync::Arc;

impl Call<'_> {
    /// The buffer of three arguments in a row: address, count, datatype.
    pub fn buffer(&mut self, first: usize) -> Result<Buffer, Refusal> {
        let (count, vague) = self.elements_or_mean(first + 1)?;
        let datatype = self.committed(first + 2)?;
        let form = self.form();
        Ok(Buffer { address: self.address(first), count, datatype, form, vague, site: self.site })
    }

    pub fn write(&mut self, buffer: &Buffer, data: &Data) {
        let model = self.model();
        buffer.write(self.env, data, model, self.span);
    }

    /// Tells where more is sent than the object holds.
    pub(crate) fn check_length(&mut self, buffer: &Buffer) {
        let (start, end) = buffer.datatype.span(buffer.count);
        let Some(address) = buffer.address.filter(|_| !buffer.datatype.scattered && !cross_object::leaves(start, end))
        else {
            return;
        };
        if self.mpi.checks.is_some() {
            // All buffers are looked at there.
            return;
        }
        let Some(room) = self.env.room(address).filter(|&room| end > 0 && room < end.cast_unsigned()) else { return };
        let message = format!("{} sends {end} bytes from a buffer that has {room}", self.name());
        let diagnostic = Diagnostic::warning(&codes::SHORT_BUFFER, message)
            .label(self.span, "what lies behind the buffer is unknown")
            .help("make count and datatype those of the buffer");
        self.mpi.reports.push(diagnostic);
    }

    /// Refuses where more arrives than there is room for.
    pub(crate) fn check_room(&self, arriving: u64, buffer: &Buffer) -> Result<(), Refusal> {
        let room = buffer.bytes();
        if arriving <= room || buffer.vague.is_some() {
            return Ok(());
        }
        let message = format!("{} has room for {room} bytes, and {arriving} arrive", self.name());
        Err(self.wrong(&codes::TRUNCATION, message, "make the count or the datatype of the receiver at least as large"))
    }

    pub fn data(&self, buffer: &Buffer) -> Data {
        buffer.data(self.env, self.model())
    }

    /// A buffer of which the counts stand elsewhere: address and datatype alone.
    pub(crate) fn bare(&mut self, address: usize, datatype: usize) -> Result<Buffer, Refusal> {
        Ok(Buffer {
            address: self.address(address),
            count: 0,
            datatype: self.committed(datatype)?,
            form: self.form(),
            vague: self.vague,
            site: self.site,
        })
    }

    /// The buffers by rank that arrays of counts and displacements describe.
    pub(crate) fn blocks(
        &mut self,
        bare: &Buffer,
        counts: usize,
        displacements: usize,
        size: usize,
    ) -> Result<Blocks, Refusal> {
        let shared = self.shared_arrays([counts, displacements], size);
        if let Some(places) = shared.as_ref().and_then(|shared| self.mpi.known_blocks.list(shared)) {
            return Ok(Blocks::Placed { bare: bare.clone(), places });
        }
        let mut places = Vec::with_capacity(size);
        for rank in 0..size {
            let n = self.element(counts, rank)?;
            let count = self.not_negative(counts, n)?;
            let at = self.element_value(displacements, rank, ScalarType::I32)?;
            // Both are of the type `int`.
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            places.push(BlockPlace { count, at: at.as_int().and_then(|at| i32::try_from(at).ok()) });
        }
        let places = self.mpi.places.shared(places);
        if let Some(shared) = shared.filter(|_| self.vague.is_none()) {
            self.mpi.known_blocks.add(shared, Arc::clone(&places));
        }
        Ok(Blocks::Placed { bare: bare.clone(), places })
    }

    /// Arrays of integers that arguments point to, where other tasks share them.
    fn shared_arrays(&self, arguments: [usize; 2], size: usize) -> Option<[SharedElements; 2]> {
        let [counts, displacements] = arguments.map(|argument| {
            let pointer = self.env.argument(argument).as_pointer()?;
            self.env.shared_elements(pointer, ScalarType::I32, size as u64)
        });
        Some([counts?, displacements?])
    }

    /// Room or data that a (address, datatype) and arrays of (counts, displacements) describe.
    pub(crate) fn listed_blocks(
        &mut self,
        (address, datatype): (usize, usize),
        (counts, displacements): (usize, usize),
        size: usize,
    ) -> Result<Vec<Buffer>, Refusal> {
        let bare = self.bare(address, datatype)?;
        Ok(self.blocks(&bare, counts, displacements, size)?.iter().collect())
    }

    /// As `blocks`, of which each has its own datatype and its displacement, of type `places`, is in bytes: address,
    /// counts, displacements and datatypes from argument `first` on.
    pub(crate) fn typed_blocks(
        &mut self,
        first: usize,
        size: usize,
        places: ScalarType,
    ) -> Result<Vec<Buffer>, Refusal> {
        let mut blocks = Vec::with_capacity(size);
        for rank in 0..size {
            let n = self.element(first + 1, rank)?;
            let count = self.not_negative(first + 1, n)?;
            let at = self.element_value(first + 2, rank, places)?.as_int();
            let handle = self.element(first + 3, rank)?;
            let datatype = self.committed_handle(first + 3, handle)?;
            let address = self.address(first).zip(at).map(|(base, at)| moved(base, at));
            let form = self.form();
            blocks.push(Buffer { address, count, datatype, form, vague: self.vague, site: self.site });
        }
        Ok(blocks)
    }
}
