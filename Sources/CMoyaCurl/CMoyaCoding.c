#if defined(__linux__)

#define _GNU_SOURCE
#include "CMoyaCoding.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// The used part of zlib's stable ABI.
struct z_stream {
    const uint8_t *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    uint8_t *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *msg;
    void *state, *zalloc, *zfree, *opaque;
    int data_type;
    unsigned long adler, reserved;
};
enum { Z_OK = 0, Z_STREAM_END = 1, Z_BUF_ERROR = -5, Z_NO_FLUSH = 0, Z_MAX_WINDOW = 15, Z_GZIP = 16 };

// The used part of libzstd.
struct zstd_in {
    const void *bytes;
    size_t size, position;
};
struct zstd_out {
    void *bytes;
    size_t size, position;
};
// RFC 9659: a window of at most 8 MiB, to limit a response's memory.
enum { ZSTD_WINDOW_LOG_MAX = 100, ZSTD_WINDOW_LOG = 23 };

enum { BROTLI_FAILED = 0, BROTLI_DONE = 1, BROTLI_NEEDS_INPUT = 2, BROTLI_NEEDS_ROOM = 3 };

static struct {
    const char *(*version)(void);
    int (*begin)(struct z_stream *, int window, const char *version, int size);
    int (*step)(struct z_stream *, int flush);
    int (*reset)(struct z_stream *);
    int (*end)(struct z_stream *);
} zlib;

static struct {
    void *(*make)(void *, void *, void *);
    int (*step)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
    void (*free)(void *);
} brotli;

static struct {
    void *(*make)(void);
    size_t (*set)(void *, int, int);
    size_t (*step)(void *, struct zstd_out *, struct zstd_in *);
    unsigned (*is_error)(size_t);
    size_t (*free)(void *);
} zstd;

static bool available[4];

/// Looks up the functions of a library, in the one that libcurl has loaded or in the program; false unless all are
/// found.
static bool look_up(const char *name, size_t count, const char *const *symbols, void *functions) {
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    for (size_t index = 0; index < count; index++) {
        void *function = dlsym(library ? library : RTLD_DEFAULT, symbols[index]);
        if (!function) return false;
        memcpy((char *)functions + index * sizeof function, &function, sizeof function);
    }
    return true;
}

static void look_everything_up(void) {
    available[MOYA_CODING_GZIP] = available[MOYA_CODING_DEFLATE] = look_up(
        "libz.so.1", 5, (const char *[]){"zlibVersion", "inflateInit2_", "inflate", "inflateReset", "inflateEnd"}, &zlib);
    available[MOYA_CODING_BROTLI] = look_up(
        "libbrotlidec.so.1", 3,
        (const char *[]){
            "BrotliDecoderCreateInstance", "BrotliDecoderDecompressStream", "BrotliDecoderDestroyInstance"},
        &brotli);
    available[MOYA_CODING_ZSTD] = look_up(
        "libzstd.so.1", 5,
        (const char *[]){
            "ZSTD_createDCtx", "ZSTD_DCtx_setParameter", "ZSTD_decompressStream", "ZSTD_isError", "ZSTD_freeDCtx"},
        &zstd);
}

bool moya_coding_is_available(moya_coding coding) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look_everything_up);
    return available[coding];
}

struct moya_decoder {
    moya_coding coding;
    /// `has_begun`: bytes have arrived; `has_ended`: they form a complete stream; `has_padding`: bytes that belong to no
    /// gzip member have followed it.
    bool has_begun, has_ended, has_padding;
    /// The last step filled its output, so that more of it may be left.
    bool is_full;
    /// The first bytes of deflate, until there are enough to recognize the wrapper.
    uint8_t first[2];
    size_t first_count;
    bool has_zlib;
    struct z_stream zlib;
    void *context;
};

moya_decoder *moya_decoder_new(moya_coding coding) {
    if (!moya_coding_is_available(coding)) return NULL;
    moya_decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    decoder->coding = coding;
    if (coding == MOYA_CODING_BROTLI) {
        decoder->context = brotli.make(NULL, NULL, NULL);
    } else if (coding == MOYA_CODING_ZSTD) {
        decoder->context = zstd.make();
        if (decoder->context) zstd.set(decoder->context, ZSTD_WINDOW_LOG_MAX, ZSTD_WINDOW_LOG);
    } else {
        return decoder;
    }
    if (decoder->context) return decoder;
    free(decoder);
    return NULL;
}

void moya_decoder_free(moya_decoder *decoder) {
    if (decoder->has_zlib) zlib.end(&decoder->zlib);
    if (decoder->coding == MOYA_CODING_BROTLI) brotli.free(decoder->context);
    if (decoder->coding == MOYA_CODING_ZSTD) zstd.free(decoder->context);
    free(decoder);
}

bool moya_decoder_is_complete(const moya_decoder *decoder) { return !decoder->has_begun || decoder->has_ended; }

static bool begin_zlib(moya_decoder *decoder, int window) {
    decoder->has_zlib = zlib.begin(&decoder->zlib, window, zlib.version(), sizeof decoder->zlib) == Z_OK;
    return decoder->has_zlib;
}

/// Passes bytes to zlib; advances them and the output.
static int inflate_some(
    moya_decoder *decoder, const uint8_t **input, size_t *length, uint8_t *output, size_t room, size_t *written) {
    struct z_stream *stream = &decoder->zlib;
    unsigned int offered = *length > 1 << 30 ? 1 << 30 : (unsigned int)*length;
    unsigned int free_bytes = room - *written > 1 << 30 ? 1 << 30 : (unsigned int)(room - *written);
    stream->next_in = *input;
    stream->avail_in = offered;
    stream->next_out = output + *written;
    stream->avail_out = free_bytes;
    int code = zlib.step(stream, Z_NO_FLUSH);
    *input += offered - stream->avail_in;
    *length -= offered - stream->avail_in;
    *written += free_bytes - stream->avail_out;
    return code;
}

static moya_decoder_state step_zlib(
    moya_decoder *decoder, const uint8_t **input, size_t *length, uint8_t *output, size_t room, size_t *written) {
    if (!decoder->has_zlib && decoder->coding == MOYA_CODING_GZIP && !begin_zlib(decoder, Z_MAX_WINDOW + Z_GZIP))
        return MOYA_DECODER_FAILED;
    if (!decoder->has_zlib) {
        // Many servers send deflate without zlib's wrapper (RFC 9110 section 8.4.1.2).
        while (*length > 0 && decoder->first_count < 2) {
            decoder->first[decoder->first_count++] = *(*input)++;
            (*length)--;
        }
        if (decoder->first_count < 2) return MOYA_DECODER_NEEDS_INPUT;
        bool is_wrapped =
            (decoder->first[0] & 0x0F) == 8 && (decoder->first[0] << 8 | decoder->first[1]) % 31 == 0;
        if (!begin_zlib(decoder, is_wrapped ? Z_MAX_WINDOW : -Z_MAX_WINDOW)) return MOYA_DECODER_FAILED;
        const uint8_t *first = decoder->first;
        size_t count = 2;
        int code = inflate_some(decoder, &first, &count, output, room, written);
        if (code == Z_STREAM_END) decoder->has_ended = true;
        else if (code != Z_OK && code != Z_BUF_ERROR) return MOYA_DECODER_FAILED;
    }
    while (*written < room) {
        if (decoder->has_ended) {
            // gzip may have several members (RFC 1952 section 2.2); anything else after the end is padding, and so is
            // what follows it, however the bytes arrive.
            if (*length > 0 && (decoder->coding != MOYA_CODING_GZIP || **input != 0x1F)) decoder->has_padding = true;
            if (decoder->has_padding || *length == 0) {
                *input += *length;
                *length = 0;
                return MOYA_DECODER_NEEDS_INPUT;
            }
            if (zlib.reset(&decoder->zlib) != Z_OK) return MOYA_DECODER_FAILED;
            decoder->has_ended = false;
        }
        size_t before = *written, left = *length;
        int code = inflate_some(decoder, input, length, output, room, written);
        if (code == Z_STREAM_END) decoder->has_ended = true;
        else if (code == Z_BUF_ERROR || (code == Z_OK && *written == before && *length == left))
            return MOYA_DECODER_NEEDS_INPUT;
        else if (code != Z_OK) return MOYA_DECODER_FAILED;
    }
    return MOYA_DECODER_NEEDS_ROOM;
}

static moya_decoder_state step_brotli(
    moya_decoder *decoder, const uint8_t **input, size_t *length, uint8_t *output, size_t room, size_t *written) {
    if (decoder->has_ended) {
        *input += *length;
        *length = 0;
        return MOYA_DECODER_NEEDS_INPUT;
    }
    size_t left = room;
    uint8_t *next = output;
    int result = brotli.step(decoder->context, length, input, &left, &next, NULL);
    *written = room - left;
    if (result == BROTLI_NEEDS_ROOM) return MOYA_DECODER_NEEDS_ROOM;
    if (result == BROTLI_DONE) {
        decoder->has_ended = true;
        *input += *length;
        *length = 0;
    }
    return result == BROTLI_FAILED ? MOYA_DECODER_FAILED : MOYA_DECODER_NEEDS_INPUT;
}

static moya_decoder_state step_zstd(
    moya_decoder *decoder, const uint8_t **input, size_t *length, uint8_t *output, size_t room, size_t *written) {
    struct zstd_in in = {*input, *length, 0};
    struct zstd_out out = {output, room, 0};
    bool has_failed = false;
    // A stream is one frame or more (RFC 8878 section 3): each may be the last.
    do {
        size_t before = in.position, reached = out.position;
        size_t result = zstd.step(decoder->context, &out, &in);
        has_failed = zstd.is_error(result);
        if (has_failed) break;
        decoder->has_ended = result == 0;
        if (in.position == before && out.position == reached) break;
    } while (out.position < out.size && in.position < in.size);
    *input += in.position;
    *length -= in.position;
    *written = out.position;
    if (has_failed) return MOYA_DECODER_FAILED;
    decoder->is_full = out.position == out.size;
    return decoder->is_full ? MOYA_DECODER_NEEDS_ROOM : MOYA_DECODER_NEEDS_INPUT;
}

moya_decoder_state moya_decoder_step(
    moya_decoder *decoder, const uint8_t **input, size_t *length, uint8_t *output, size_t room, size_t *written) {
    *written = 0;
    if (*length > 0) decoder->has_begun = true;
    if (decoder->coding == MOYA_CODING_BROTLI) return step_brotli(decoder, input, length, output, room, written);
    if (decoder->coding == MOYA_CODING_ZSTD) {
        // Without input at the end of a frame, it would begin another; and it fails after some steps without progress.
        if (*length == 0 && (moya_decoder_is_complete(decoder) || !decoder->is_full)) return MOYA_DECODER_NEEDS_INPUT;
        return step_zstd(decoder, input, length, output, room, written);
    }
    return step_zlib(decoder, input, length, output, room, written);
}

#endif
