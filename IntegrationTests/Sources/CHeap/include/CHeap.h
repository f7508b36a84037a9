#ifndef C_HEAP_H
#define C_HEAP_H

/// Bytes that the program has allocated and not freed; -1 where the C library does not say.
long heap_bytes_in_use(void);

/// Gives free pages of the heap back to the system, where the C library can.
void heap_trim(void);

#endif
