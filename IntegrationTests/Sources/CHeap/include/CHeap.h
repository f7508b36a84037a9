#ifndef C_HEAP_H
#define C_HEAP_H

/// Pages in memory, in bytes.
struct resident_bytes {
    /// The pages of the C library's heap, including free memory in them.
    long heap;
    /// All other pages: stacks, large blocks, libraries.
    long elsewhere;
};

/// The number of allocated bytes in the C library's heap; -1 if the C library does not report it.
/// Large blocks, which have separate pages, are excluded.
long heap_bytes_in_use(void);

/// Returns free pages of the heap to the system, if the C library can.
void heap_trim(void);

/// The current pages of the process; zero if the system does not report them.
struct resident_bytes resident_bytes(void);

#endif
