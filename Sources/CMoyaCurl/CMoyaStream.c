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

// libcurl hands its callbacks to nghttp2 by a function that the dynamic linker looks up first in the program: here. The
// definition wraps the callback that receives every frame, and passes everything on to nghttp2.

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
enum { DATA = 0, HEADERS = 1, END_STREAM = 1 };
typedef int frame_callback(void *session, const void *frame, void *context);
typedef void setter(void *callbacks, frame_callback *callback);
typedef void *stream_context(void *session, int32_t stream);

// MARK: Handles

struct moya_stream {
    CURL *easy;
    moya_stream *next;
    // Frames arrive on the thread that uses the handle.
    moya_stream_state state;
    int64_t bytes;
    // The stream ended with fields after its content.
    bool has_trailers;
};

// Few handles exist at a time, since they are reused.
enum { BUCKETS = 256 };
static moya_stream *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static moya_stream **bucket(const CURL *easy) {
    uintptr_t address = (uintptr_t)easy;
    return &buckets[(address >> 6 ^ address >> 14) % BUCKETS];
}

moya_stream *moya_stream_new(CURL *easy) {
    moya_stream *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    stream->easy = easy;
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
}

moya_stream_state moya_stream_get_state(const moya_stream *stream) { return stream->state; }

int64_t moya_stream_get_bytes(const moya_stream *stream) { return stream->bytes; }

bool moya_stream_has_trailers(const moya_stream *stream) { return stream->has_trailers; }

// MARK: Frames

// A callback receives its owner's context, which leaves no room for another: each distinct one has an observer of its
// own. A process has one libcurl, rarely two.
enum { OBSERVERS = 8 };
static struct {
    _Atomic(frame_callback *) callback;
    // The function of the callback's nghttp2.
    _Atomic(stream_context *) get_context;
} observed[OBSERVERS];

static void observe(stream_context *get_context, void *session, const struct frame_header *frame) {
    if (frame->type != HEADERS && frame->type != DATA) return;
    // Another user of libcurl may have handles of its own, and another user of nghttp2 anything.
    CURL *easy = get_context(session, frame->stream);
    if (!easy) return;
    pthread_mutex_lock(&lock);
    moya_stream *stream = *bucket(easy);
    while (stream && stream->easy != easy) stream = stream->next;
    pthread_mutex_unlock(&lock);
    if (!stream) return;
    if (frame->type == DATA) stream->bytes += (int64_t)(frame->length - ((const struct data_frame *)frame)->padding);
    if (frame->type == HEADERS && frame->flags & END_STREAM) stream->has_trailers = stream->bytes > 0;
    stream->state = frame->flags & END_STREAM ? MOYA_STREAM_ENDED : MOYA_STREAM_OPEN;
}

static int observe_and_pass(size_t index, void *session, const void *frame, void *context) {
    observe(atomic_load_explicit(&observed[index].get_context, memory_order_acquire), session, frame);
    return atomic_load_explicit(&observed[index].callback, memory_order_relaxed)(session, frame, context);
}

#define OBSERVER(index)                                                             \
    static int observe_##index(void *session, const void *frame, void *context) {   \
        return observe_and_pass(index, session, frame, context);                    \
    }
OBSERVER(0)
OBSERVER(1)
OBSERVER(2)
OBSERVER(3)
OBSERVER(4)
OBSERVER(5)
OBSERVER(6)
OBSERVER(7)
static frame_callback *const observers[OBSERVERS] = {
    observe_0, observe_1, observe_2, observe_3, observe_4, observe_5, observe_6, observe_7};

/// Returns the observer of a callback, or the callback itself if there is none left.
static frame_callback *observer(frame_callback *callback, stream_context *get_context) {
    for (size_t index = 0; index < OBSERVERS; index++) {
        frame_callback *expected = NULL;
        if (!atomic_compare_exchange_strong(&observed[index].callback, &expected, callback) && expected != callback)
            continue;
        atomic_store_explicit(&observed[index].get_context, get_context, memory_order_release);
        return observers[index];
    }
    return callback;
}

void nghttp2_session_callbacks_set_on_frame_recv_callback(void *callbacks, frame_callback *callback);

/// Looks up a function of nghttp2 as the caller would find it without this program's.
static void *look_up(const char *symbol, const void *caller) {
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
    return function == (void *)nghttp2_session_callbacks_set_on_frame_recv_callback ? NULL : function;
}

// A statically linked nghttp2 takes the place of this definition.
__attribute__((weak, used, visibility("default")))
void nghttp2_session_callbacks_set_on_frame_recv_callback(void *callbacks, frame_callback *callback) {
    const void *caller = __builtin_return_address(0);
    setter *set = (setter *)look_up("nghttp2_session_callbacks_set_on_frame_recv_callback", caller);
    if (!set) return;
    stream_context *get_context = (stream_context *)look_up("nghttp2_session_get_stream_user_data", caller);
    set(callbacks, callback && get_context ? observer(callback, get_context) : callback);
}

#endif
