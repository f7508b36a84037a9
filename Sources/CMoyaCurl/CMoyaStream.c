#if defined(__linux__)

#define _GNU_SOURCE
#include "CMoyaStream.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// libcurl calls functions of nghttp2 that the dynamic linker looks up first in the program: here. The definitions note the
// stream of each request, wrap the callbacks that receive every frame and the end of every stream, and pass everything on
// to nghttp2.

// The used part of nghttp2's stable ABI.
struct frame_header {
    size_t length;
    int32_t stream;
    uint8_t type, flags, reserved;
};
struct data_frame {
    struct frame_header header;
    // With the byte that states its length.
    size_t padding;
};
enum { DATA = 0, HEADERS = 1, END_STREAM = 1, REFUSED_STREAM = 7 };
typedef int frame_callback(void *session, const void *frame, void *context);
typedef int end_callback(void *session, int32_t stream, uint32_t error, void *context);
typedef int32_t submit(
    void *session, const void *priority, const void *fields, size_t count, const void *body, void *context);
typedef uint32_t remote_setting(void *session, int identifier);
enum { MAX_CONCURRENT_STREAMS = 3, STREAM_ID_NOT_AVAILABLE = -509 };

// MARK: Handles

struct moya_stream {
    CURL *easy;
    moya_stream_ended *ended;
    // The connection and the stream of the request, changed under the lock; the session is NULL if there is none.
    _Atomic(void *) session;
    int32_t identifier;
    // The next stream in the bucket.
    moya_stream *next;
    // Frames arrive on the thread that uses the handle.
    moya_stream_state state;
    int64_t bytes;
    // The number of sections of fields: heads and trailers.
    int sections;
    // The stream ended with a section of fields.
    bool ends_with_fields;
    bool is_refused;
    // The connection had been used before.
    bool is_reused;
};

// The request that libcurl is about to send on this thread.
static _Thread_local moya_stream *sent;

// Few streams exist at a time, since handles are reused.
enum { BUCKETS = 256 };
static moya_stream *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static moya_stream **bucket(const void *session, int32_t identifier) {
    uintptr_t address = (uintptr_t)session;
    return &buckets[(address >> 6 ^ address >> 14 ^ (uintptr_t)identifier >> 1) % BUCKETS];
}

static moya_stream **link_to(void *session, int32_t identifier) {
    moya_stream **link = bucket(session, identifier);
    while (*link && ((*link)->session != session || (*link)->identifier != identifier)) link = &(*link)->next;
    return link;
}

static moya_stream *find(void *session, int32_t identifier) {
    pthread_mutex_lock(&lock);
    moya_stream *stream = *link_to(session, identifier);
    pthread_mutex_unlock(&lock);
    return stream;
}

/// Removes the stream at a link.
static void unlink_stream(moya_stream **link) {
    moya_stream *stream = *link;
    *link = stream->next;
    stream->session = NULL;
}

/// Puts a stream in its place, or nothing: another one there is of a connection that is gone.
static void put(moya_stream *stream, void *session, int32_t identifier) {
    pthread_mutex_lock(&lock);
    moya_stream **link = link_to(session, identifier);
    if (*link) unlink_stream(link);
    if (stream) {
        stream->session = session;
        stream->identifier = identifier;
        stream->next = *bucket(session, identifier);
        *bucket(session, identifier) = stream;
    }
    pthread_mutex_unlock(&lock);
}

moya_stream *moya_stream_new(CURL *easy, moya_stream_ended *ended) {
    moya_stream *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    stream->easy = easy;
    stream->ended = ended;
    return stream;
}

void moya_stream_free(moya_stream *stream) {
    if (stream) moya_stream_leave(stream);
    free(stream);
}

void moya_stream_leave(moya_stream *stream) {
    if (!atomic_load_explicit(&stream->session, memory_order_relaxed)) return;
    pthread_mutex_lock(&lock);
    if (stream->session) unlink_stream(link_to(stream->session, stream->identifier));
    pthread_mutex_unlock(&lock);
}

void moya_stream_reset(moya_stream *stream) {
    moya_stream_leave(stream);
    stream->state = MOYA_STREAM_UNSEEN;
    stream->bytes = 0;
    stream->sections = 0;
    stream->ends_with_fields = false;
    stream->is_refused = false;
}

void moya_stream_begin(moya_stream *stream, bool is_reused) {
    stream->is_reused = is_reused;
    sent = stream;
}

void moya_stream_settle(void) { sent = NULL; }

moya_stream_state moya_stream_get_state(const moya_stream *stream) { return stream->state; }

int64_t moya_stream_get_bytes(const moya_stream *stream) { return stream->bytes; }

bool moya_stream_has_section(const moya_stream *stream, int index) {
    return stream->ends_with_fields && stream->sections > index;
}

bool moya_stream_is_refused(const moya_stream *stream) { return stream->is_refused; }

// MARK: Observers

static void observe_frame(void *session, const struct frame_header *frame) {
    if (frame->type != HEADERS && frame->type != DATA) return;
    moya_stream *stream = find(session, frame->stream);
    if (!stream) return;
    if (frame->type == DATA) stream->bytes += (int64_t)(frame->length - ((const struct data_frame *)frame)->padding);
    if (frame->type == HEADERS) {
        stream->sections++;
        stream->ends_with_fields = frame->flags & END_STREAM;
    }
    stream->state = frame->flags & END_STREAM ? MOYA_STREAM_ENDED : MOYA_STREAM_OPEN;
    if (stream->state == MOYA_STREAM_ENDED) stream->ended(stream->easy);
}

/// nghttp2 gives this error to streams that the server has reset with it, and to those beyond the last that a GOAWAY
/// names. A request whose response has begun was processed all the same.
static void observe_end(void *session, int32_t identifier, uint32_t error) {
    moya_stream *stream = error == REFUSED_STREAM ? find(session, identifier) : NULL;
    if (stream && stream->state == MOYA_STREAM_UNSEEN) stream->is_refused = true;
}

/// Looks up a function of nghttp2 as the caller would find it without this program's.
static void *look_up(const char *symbol, const void *own, const void *caller) {
    void *function = dlsym(RTLD_NEXT, symbol);
    if (function) return function;
    // The caller was loaded later, with an nghttp2 of its own.
    Dl_info info;
    if (!dladdr(caller, &info)) return NULL;
    void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return NULL;
    function = dlsym(library, symbol);
    dlclose(library);
    // One of its libraries may contain this file.
    return function == own ? NULL : function;
}

// A callback receives its owner's context, which leaves no room for another: each distinct one has an observer of its
// own. A process has one libcurl, rarely two.
enum { OBSERVERS = 8 };

// A statically linked nghttp2 takes the place of the definition of `symbol`.
#define OBSERVED(kind, symbol)                                                                                       \
    static _Atomic(kind##_callback *) kind##_observed[OBSERVERS];                                                    \
    static kind##_callback *const kind##_observers[OBSERVERS];                                                       \
                                                                                                                     \
    /* Returns the observer of a callback, or the callback itself if there is none left. */                          \
    static kind##_callback *kind##_observer(kind##_callback *callback) {                                             \
        for (size_t index = 0; index < OBSERVERS; index++) {                                                         \
            kind##_callback *expected = NULL;                                                                        \
            if (atomic_compare_exchange_strong(&kind##_observed[index], &expected, callback) || expected == callback) \
                return kind##_observers[index];                                                                      \
        }                                                                                                            \
        return callback;                                                                                             \
    }                                                                                                                \
                                                                                                                     \
    void symbol(void *callbacks, kind##_callback *callback);                                                         \
    __attribute__((weak, used, visibility("default"))) void symbol(void *callbacks, kind##_callback *callback) {     \
        typedef void setter(void *callbacks, kind##_callback *callback);                                             \
        setter *set = (setter *)look_up(#symbol, (void *)symbol, __builtin_return_address(0));                       \
        if (set) set(callbacks, callback ? kind##_observer(callback) : callback);                                    \
    }

OBSERVED(frame, nghttp2_session_callbacks_set_on_frame_recv_callback)
OBSERVED(end, nghttp2_session_callbacks_set_on_stream_close_callback)

#define OBSERVER(index)                                                                                              \
    static int frame_##index(void *session, const void *frame, void *context) {                                      \
        observe_frame(session, frame);                                                                               \
        return atomic_load(&frame_observed[index])(session, frame, context);                                         \
    }                                                                                                                \
    static int end_##index(void *session, int32_t stream, uint32_t error, void *context) {                           \
        observe_end(session, stream, error);                                                                         \
        return atomic_load(&end_observed[index])(session, stream, error, context);                                   \
    }
OBSERVER(0)
OBSERVER(1)
OBSERVER(2)
OBSERVER(3)
OBSERVER(4)
OBSERVER(5)
OBSERVER(6)
OBSERVER(7)
static frame_callback *const frame_observers[OBSERVERS] = {
    frame_0, frame_1, frame_2, frame_3, frame_4, frame_5, frame_6, frame_7};
static end_callback *const end_observers[OBSERVERS] = {end_0, end_1, end_2, end_3, end_4, end_5, end_6, end_7};

// MARK: Requests

enum { NOT_FOUND = -902 };

/// The functions of nghttp2 for the place in libcurl that submits requests; looking them up takes longer than the calls.
static _Thread_local struct {
    const void *caller;
    submit *submit;
    remote_setting *remote_setting;
} found;

submit nghttp2_submit_request;
// A statically linked nghttp2 takes the place of this definition.
__attribute__((weak, used, visibility("default"))) int32_t nghttp2_submit_request(
    void *session, const void *priority, const void *fields, size_t count, const void *body, void *context) {
    const void *caller = __builtin_return_address(0);
    if (found.caller != caller) {
        found.caller = caller;
        found.submit = (submit *)look_up("nghttp2_submit_request", (void *)nghttp2_submit_request, caller);
        found.remote_setting = (remote_setting *)look_up("nghttp2_session_get_remote_settings", NULL, caller);
    }
    int32_t identifier = NOT_FOUND;
    // Without an error, libcurl would wait for a stream until the deadline of the request.
    if (sent && sent->is_reused && found.remote_setting && found.remote_setting(session, MAX_CONCURRENT_STREAMS) == 0) {
        sent->is_refused = true;
        identifier = STREAM_ID_NOT_AVAILABLE;
    } else if (found.submit) {
        identifier = found.submit(session, priority, fields, count, body, context);
    }
    if (identifier > 0) put(sent, session, identifier);
    sent = NULL;
    return identifier;
}

#endif
