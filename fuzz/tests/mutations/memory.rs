//! An allocator that counts, for each thread, the bytes it holds.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, counting. What would take a thread over [`HARD_CAP`] is refused.
pub(crate) struct Counting;

/// So that a length taken from an input ends the test and not the machine.
const HARD_CAP: usize = 1 << 30;

// Neither needs a destructor nor memory, so that an allocator may use them.
thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
    static MOST: Cell<usize> = const { Cell::new(0) };
}

/// Starts counting anew; what this thread holds now.
pub(crate) fn start() -> usize {
    let held = HELD.get();
    MOST.set(held);
    held
}

/// The most that this thread held at a time since the start.
pub(crate) fn most() -> usize {
    MOST.get()
}

/// Counts bytes, unless they are too many.
fn take(bytes: usize) -> bool {
    let held = HELD.get().saturating_add(bytes);
    if held > HARD_CAP {
        return false;
    }
    HELD.set(held);
    MOST.set(MOST.get().max(held));
    true
}

/// Memory may have come from another thread, whose count is then too high.
fn give_back(bytes: usize) {
    HELD.set(HELD.get().saturating_sub(bytes));
}

// SAFETY: all memory is the system allocator's, which is called with what came in; a null pointer
// says that there is none. `realloc` and `alloc_zeroed` are the trait's own, made of these two.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !take(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise is the one that this asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        give_back(layout.size());
        // SAFETY: the memory came from `System` with this layout.
        unsafe { System.dealloc(memory, layout) }
    }
}
