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

// libcurl hands its callbacks to nghttp2 by functions that the dynamic linker looks up first in the program: here. The
// definitions wrap the callbacks that receive every frame and the end of every stream, and pass everything on to nghttp2.

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
typedef void *stream_context(void *session, int32_t stream);

// MARK: Handles

struct moya_stream {
    CURL *easy;
    moya_stream_ended *ended;
    moya_stream *next;
    // Frames arrive on the thread that uses the handle.
    moya_stream_state state;
    int64_t bytes;
    // The stream ended with fields after its content.
    bool has_trailers;
    bool is_refused;
};

// Few handles exist at a time, since they are reused.
enum { BUCKETS = 256 };
static moya_stream *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static moya_stream **bucket(const CURL *easy) {
    uintptr_t address = (uintptr_t)easy;
    return &buckets[(address >> 6 ^ address >> 14) % BUCKETS];
}

static moya_stream *find(const CURL *easy) {
    pthread_mutex_lock(&lock);
    moya_stream *stream = *bucket(easy);
    while (stream && stream->easy != easy) stream = stream->next;
    pthread_mutex_unlock(&lock);
    return stream;
}

moya_stream *moya_stream_new(CURL *easy, moya_stream_ended *ended) {
    moya_stream *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    stream->easy = easy;
    stream->ended = ended;
    pthread_mutex_lock(&lock);
    stream->next = *bucket(easy);
    *bucket(easy) = stream;
    pthread_mutex_unlock(&lock);
    return stream;
}

void moya_stream_free(moya_stream *stream) {
    if (!stream) return;
    pthread_mutex_lock(&lock);
    moya_stream **link = bucket(stream->easy);
    while (*link != stream) link = &(*link)->next;
    *link = stream->next;
    pthread_mutex_unlock(&lock);
    free(stream);
}

void moya_stream_begin(moya_stream *stream) {
    stream->state = MOYA_STREAM_UNSEEN;
    stream->bytes = 0;
    stream->has_trailers = false;
    stream->is_refused = false;
}

moya_stream_state moya_stream_get_state(const moya_stream *stream) { return stream->state; }

int64_t moya_stream_get_bytes(const moya_stream *stream) { return stream->bytes; }

bool moya_stream_has_trailers(const moya_stream *stream) { return stream->has_trailers; }

bool moya_stream_is_refused(const moya_stream *stream) { return stream->is_refused; }

// MARK: Observers

static void observe_frame(stream_context *get_context, void *session, const struct frame_header *frame) {
    if (frame->type != HEADERS && frame->type != DATA) return;
    // Another user of libcurl may have handles of its own, and another user of nghttp2 anything.
    CURL *easy = get_context(session, frame->stream);
    moya_stream *stream = easy ? find(easy) : NULL;
    if (!stream) return;
    if (frame->type == DATA) stream->bytes += (int64_t)(frame->length - ((const struct data_frame *)frame)->padding);
    if (frame->type == HEADERS && frame->flags & END_STREAM) stream->has_trailers = stream->bytes > 0;
    stream->state = frame->flags & END_STREAM ? MOYA_STREAM_ENDED : MOYA_STREAM_OPEN;
    if (stream->state == MOYA_STREAM_ENDED) stream->ended(easy);
}

/// nghttp2 gives this error to streams that the server has reset with it, and to those beyond the last that a GOAWAY
/// names.
static void observe_end(stream_context *get_context, void *session, int32_t identifier, uint32_t error) {
    CURL *easy = error == REFUSED_STREAM ? get_context(session, identifier) : NULL;
    moya_stream *stream = easy ? find(easy) : NULL;
    if (stream) stream->is_refused = true;
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
    static struct {                                                                                                  \
        _Atomic(kind##_callback *) callback;                                                                         \
        /* The function of the callback's nghttp2. */                                                                \
        _Atomic(stream_context *) get_context;                                                                       \
    } kind##_observed[OBSERVERS];                                                                                    \
    static kind##_callback *const kind##_observers[OBSERVERS];                                                       \
                                                                                                                     \
    /* Returns the observer of a callback, or the callback itself if there is none left. */                          \
    static kind##_callback *kind##_observer(kind##_callback *callback, stream_context *get_context) {                \
        for (size_t index = 0; index < OBSERVERS; index++) {                                                         \
            kind##_callback *expected = NULL;                                                                        \
            if (!atomic_compare_exchange_strong(&kind##_observed[index].callback, &expected, callback)               \
                && expected != callback)                                                                             \
                continue;                                                                                            \
            atomic_store_explicit(&kind##_observed[index].get_context, get_context, memory_order_release);           \
            return kind##_observers[index];                                                                          \
        }                                                                                                            \
        return callback;                                                                                             \
    }                                                                                                                \
                                                                                                                     \
    void symbol(void *callbacks, kind##_callback *callback);                                                         \
    __attribute__((weak, used, visibility("default"))) void symbol(void *callbacks, kind##_callback *callback) {     \
        const void *caller = __builtin_return_address(0);                                                            \
        typedef void setter(void *callbacks, kind##_callback *callback);                                             \
        setter *set = (setter *)look_up(#symbol, (void *)symbol, caller);                                            \
        if (!set) return;                                                                                            \
        stream_context *get_context =                                                                                \
            (stream_context *)look_up("nghttp2_session_get_stream_user_data", NULL, caller);                         \
        set(callbacks, callback && get_context ? kind##_observer(callback, get_context) : callback);                 \
    }

OBSERVED(frame, nghttp2_session_callbacks_set_on_frame_recv_callback)
OBSERVED(end, nghttp2_session_callbacks_set_on_stream_close_callback)

#define CONTEXT(kind, index) atomic_load_explicit(&kind##_observed[index].get_context, memory_order_acquire)
#define CALLBACK(kind, index) atomic_load_explicit(&kind##_observed[index].callback, memory_order_relaxed)

#define OBSERVER(index)                                                                                              \
    static int frame_##index(void *session, const void *frame, void *context) {                                      \
        observe_frame(CONTEXT(frame, index), session, frame);                                                        \
        return CALLBACK(frame, index)(session, frame, context);                                                      \
    }                                                                                                                \
    static int end_##index(void *session, int32_t stream, uint32_t error, void *context) {                           \
        observe_end(CONTEXT(end, index), session, stream, error);                                                    \
        return CALLBACK(end, index)(session, stream, error, context);                                                \
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

#endif
