// The end of a response on an HTTP/2 stream, which libcurl reports alike whether the server has ended the stream or reset
// it, or the connection has failed.
#ifndef CMOYASTREAM_H
#define CMOYASTREAM_H

#if defined(__linux__)

#include "CMoyaCurl.h"

#include <stdbool.h>

#pragma clang assume_nonnull begin

/// The streams that carry the responses of an easy handle, one after the other.
typedef struct moya_stream moya_stream;

typedef enum {
    /// No response has begun, or libcurl has an nghttp2 that cannot be observed.
    MOYA_STREAM_UNSEEN,
    MOYA_STREAM_OPEN,
    /// The server has ended the stream (RFC 9113 section 8.1).
    MOYA_STREAM_ENDED,
} moya_stream_state;

/// Called with an easy handle when the server has ended its stream, within libcurl: some bytes may follow.
typedef void moya_stream_ended(CURL *easy);

/// Observes the streams of an easy handle; NULL without memory.
moya_stream *_Nullable moya_stream_new(CURL *easy, moya_stream_ended *ended);
/// Must be called before the handle is freed.
void moya_stream_free(moya_stream *_Nullable stream);
/// Observes the stream no longer, whose transfer has ended; what was observed stays.
void moya_stream_leave(moya_stream *stream);
/// Forgets the stream of the last request.
void moya_stream_reset(moya_stream *stream);
/// Records that the next request that libcurl sends on this thread, over HTTP/2, is that of the handle, which was reset.
///
/// On a reused connection whose server takes no more streams (RFC 9113 section 5.1.2), it is refused instead.
void moya_stream_begin(moya_stream *stream, bool is_reused);
/// Records that libcurl has returned: nothing further is sent on this thread.
void moya_stream_settle(void);
moya_stream_state moya_stream_get_state(const moya_stream *stream);
/// Returns the number of bytes of content that arrived since the request was sent, of which libcurl may have delivered fewer.
int64_t moya_stream_get_bytes(const moya_stream *stream);
/// Returns true if fields have ended the stream, and there are more sections of fields than the index; libcurl may not
/// have delivered them.
bool moya_stream_has_section(const moya_stream *stream, int index);
/// Returns true if the request was not sent for want of streams, or if the server has announced that it did not process
/// it (RFC 9113 section 8.7).
bool moya_stream_is_refused(const moya_stream *stream);

#pragma clang assume_nonnull end

#endif
#endif
