#ifndef C_HEAP_H
#define C_HEAP_H

/// Pages in memory, in bytes.
struct resident_bytes {
    /// Those that the C library's heap is in, with what is free between what is used.
    long heap;
    /// All others: stacks, large blocks, libraries.
    long elsewhere;
};

/// Bytes in the C library's heap that the program has allocated and not freed; -1 where the C library does not say.
/// Large blocks, which have separate pages, are not among them.
long heap_bytes_in_use(void);

/// Gives free pages of the heap back to the system, where the C library can.
void heap_trim(void);

/// The pages of the process at this moment; none where the system does not say.
struct resident_bytes resident_bytes(void);

#endif
