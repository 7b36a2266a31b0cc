//! Storage of 128 bits in the fifteen bytes that a value of the evaluation has for them.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// 128 bits. Most numbers have a run of equal bits at one end, so that 14 bytes tell them: all of x87, products of
/// integers that are not too large. The others lie in an arena of the process, which is never given back: values are
/// copied too freely for counting who holds them.
#[derive(Clone, Copy)]
pub struct Wide(Form);

#[derive(Clone, Copy)]
enum Form {
    /// The lower bits; those above are copies of the highest one here.
    Low([u8; BYTES]),
    /// The upper bits; those below are zero.
    High([u8; BYTES]),
    Kept(Kept),
}

#[derive(Clone, Copy)]
#[repr(Rust, packed(1))]
struct Kept(&'static u128);

const BYTES: usize = 14;
const REST: usize = 16 - BYTES;

/// Numbers of a piece of the arena.
const PIECE: usize = 4096;
/// Most pieces: a gibibyte.
const PIECES: usize = 1 << 14;

static PIECES_TAKEN: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// What is free in the piece that this thread fills.
    static FREE: RefCell<&'static mut [u128]> = const { RefCell::new(&mut []) };
}

impl Wide {
    /// `None` where the arena is full.
    pub fn new(bits: u128) -> Option<Self> {
        let bytes = bits.to_le_bytes();
        let (mut low, mut high) = ([0; BYTES], [0; BYTES]);
        low.copy_from_slice(&bytes[..BYTES]);
        high.copy_from_slice(&bytes[REST..]);
        let short = Self(Form::Low(low));
        if short.bits() == bits {
            return Some(short);
        }
        let short = Self(Form::High(high));
        if short.bits() == bits {
            return Some(short);
        }
        keep(bits).map(|kept| Self(Form::Kept(Kept(kept))))
    }

    /// All 128 bits of the number; where only the low bytes are kept, their sign is extended.
    pub fn bits(self) -> u128 {
        let mut bytes = [0; 16];
        match self.0 {
            Form::Low(low) => {
                bytes[..BYTES].copy_from_slice(&low);
                let unused = 8 * REST as u32;
                ((u128::from_le_bytes(bytes) << unused) as i128 >> unused) as u128
            }
            Form::High(high) => {
                bytes[REST..].copy_from_slice(&high);
                u128::from_le_bytes(bytes)
            }
            Form::Kept(Kept(bits)) => *bits,
        }
    }
}

impl PartialEq for Wide {
    fn eq(&self, other: &Self) -> bool {
        self.bits() == other.bits()
    }
}

impl std::fmt::Debug for Wide {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#034x}", self.bits())
    }
}

fn keep(bits: u128) -> Option<&'static u128> {
    FREE.with(|free| {
        let mut free = free.borrow_mut();
        if free.is_empty() {
            *free = piece()?;
        }
        let (first, rest) = std::mem::take(&mut *free).split_first_mut()?;
        *free = rest;
        *first = bits;
        Some(&*first)
    })
}

fn piece() -> Option<&'static mut [u128]> {
    let taken = PIECES_TAKEN.fetch_add(1, Ordering::Relaxed);
    (taken < PIECES).then(|| Box::leak(vec![0; PIECE].into_boxed_slice()))
}
