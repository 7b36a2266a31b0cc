//! What the code calls.

use crate::run::{Cache, Frame};
use chronos_values::{ObjectId, Pointer, Value};

/// The address of a helper as the code has it.
pub(crate) fn address(name: &str) -> i64 {
    let address = match name {
        "page" => page as *const () as usize,
        "enter" => enter as *const () as usize,
        "begin" => begin as *const () as usize,
        "draw" => draw as *const () as usize,
        "one" => one as *const () as usize,
        _ => two as *const () as usize,
    };
    address as i64
}

/// Where the scalar at an address stands; null where the interpreter has to see to it.
extern "C" fn page(frame: *mut Frame<'_>, cache: u32, object: u32, offset: i64) -> *mut Value {
    // SAFETY: the code hands on the frame that `run` gave it, which nothing else holds while the code is in here.
    let frame = unsafe { &mut *frame };
    let (place, writes) = (&frame.body.places[cache as usize / 2], cache % 2 == 1);
    let Some(ty) = place.ty else { return std::ptr::null_mut() };
    let pointer = Pointer { object: ObjectId(object), offset };
    let Some(page) = frame.host.page(pointer, ty, writes) else { return std::ptr::null_mut() };
    let count = frame.body.places.len() * 2;
    // SAFETY: `run` made as many caches as this.
    let caches = unsafe { std::slice::from_raw_parts_mut(frame.caches, count) };
    if page.moves {
        caches.fill(Cache::EMPTY);
    }
    let distance = offset.wrapping_sub(page.begin) as u64;
    let index = distance / place.bytes;
    if index >= page.length || !distance.is_multiple_of(place.bytes) {
        return std::ptr::null_mut();
    }
    caches[cache as usize] = Cache { object, begin: page.begin, length: page.length, elements: page.elements };
    // SAFETY: the host gave so many elements.
    unsafe { page.elements.add(index as usize) }
}

extern "C" fn enter(frame: *mut Frame<'_>, inner: u32) -> u32 {
    // SAFETY: as in `page`.
    let frame = unsafe { &mut *frame };
    u32::from(frame.host.enters(inner))
}

extern "C" fn begin(frame: *mut Frame<'_>, site: u32) -> u32 {
    // SAFETY: as in `page`.
    let frame = unsafe { &mut *frame };
    let counters = frame.host.counters(site);
    // SAFETY: `run` made one entry for each site.
    unsafe { frame.sites.add(site as usize).write(counters) };
    0
}

/// Whether a number was drawn; its bits stand in the frame.
extern "C" fn draw(frame: *mut Frame<'_>, source: u32) -> u32 {
    // SAFETY: as in `page`.
    let frame = unsafe { &mut *frame };
    // SAFETY: `run` got a slice of so many, and the code holds no reference into it.
    let globals = unsafe { std::slice::from_raw_parts_mut(frame.globals, frame.number_of_globals) };
    frame.drawn = match frame.host.draw(source, globals) {
        Some(Value::Int(number)) => number as u64,
        Some(Value::Float(number)) => number.to_bits(),
        _ => return 0,
    };
    1
}

extern "C" fn one(function: usize, a: f64) -> f64 {
    // SAFETY: the code has the address of a function of this type from `Function::One`.
    let function: fn(f64) -> f64 = unsafe { std::mem::transmute(function as *const ()) };
    function(a)
}

extern "C" fn two(function: usize, a: f64, b: f64) -> f64 {
    // SAFETY: the code has the address of a function of this type from `Function::Two`.
    let function: fn(f64, f64) -> f64 = unsafe { std::mem::transmute(function as *const ()) };
    function(a, b)
}
