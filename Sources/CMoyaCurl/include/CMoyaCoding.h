// Decoders of content codings (RFC 9110 section 8.4.1), from the libraries that libcurl itself uses, looked up at run
// time: building needs none of their headers, and running none of the libraries.
#ifndef CMOYACODING_H
#define CMOYACODING_H

#if defined(__linux__)

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef enum { MOYA_CODING_GZIP, MOYA_CODING_DEFLATE, MOYA_CODING_BROTLI, MOYA_CODING_ZSTD } moya_coding;

/// The state of an encoded stream after a step.
typedef enum {
    /// All bytes were consumed, and their output was written.
    MOYA_DECODER_NEEDS_INPUT,
    /// There may be more output.
    MOYA_DECODER_NEEDS_ROOM,
    /// The bytes violate the coding, or memory ran out.
    MOYA_DECODER_FAILED,
} moya_decoder_state;

typedef struct moya_decoder moya_decoder;

/// `true` if the library of a coding is available.
bool moya_coding_is_available(moya_coding coding);

/// Makes a decoder; NULL if its library is missing or memory ran out.
moya_decoder *_Nullable moya_decoder_new(moya_coding coding);

void moya_decoder_free(moya_decoder *decoder);

/// Consumes bytes, advancing `input` and `length`, and writes at most `room` bytes.
moya_decoder_state moya_decoder_step(
    moya_decoder *decoder, const uint8_t *_Nullable *_Nonnull input, size_t *length, uint8_t *output, size_t room,
    size_t *written);

/// `true` if the encoded stream has ended, or has not begun.
bool moya_decoder_is_complete(const moya_decoder *decoder);

#pragma clang assume_nonnull end

#endif
#endif
