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
enum { DATA = 0, HEADERS = 1, END_STREAM = 1 };
typedef int frame_callback(void *session, const struct frame_header *frame, void *context);
typedef void setter(void *callbacks, frame_callback *callback);
typedef void *stream_context(void *session, int32_t stream);

// MARK: Handles

struct moya_stream {
    CURL *easy;
    moya_stream *next;
    // Frames arrive on the thread that uses the handle.
    moya_stream_state state;
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

void moya_stream_begin(moya_stream *stream) { stream->state = MOYA_STREAM_UNSEEN; }

moya_stream_state moya_stream_get_state(const moya_stream *stream) { return stream->state; }

// MARK: Frames

static _Atomic(stream_context *) get_stream_context;

static void observe(void *session, const struct frame_header *frame) {
    bool is_end = frame->flags & END_STREAM;
    if (frame->type != HEADERS && !(frame->type == DATA && is_end)) return;
    stream_context *get = atomic_load_explicit(&get_stream_context, memory_order_relaxed);
    // Another user of libcurl may have handles of its own, and another user of nghttp2 anything.
    CURL *easy = get ? get(session, frame->stream) : NULL;
    if (!easy) return;
    pthread_mutex_lock(&lock);
    moya_stream *stream = *bucket(easy);
    while (stream && stream->easy != easy) stream = stream->next;
    pthread_mutex_unlock(&lock);
    if (stream) stream->state = is_end ? MOYA_STREAM_ENDED : MOYA_STREAM_OPEN;
}

// A callback receives its owner's context, which leaves no room for another: each distinct one has an observer of its
// own. A process has one libcurl, rarely two.
enum { OBSERVERS = 8 };
static _Atomic(frame_callback *) observed[OBSERVERS];

#define OBSERVER(index)                                                                               \
    static int observe_##index(void *session, const struct frame_header *frame, void *context) {      \
        observe(session, frame);                                                                      \
        return atomic_load_explicit(&observed[index], memory_order_acquire)(session, frame, context); \
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
static frame_callback *observer(frame_callback *callback) {
    for (size_t index = 0; index < OBSERVERS; index++) {
        frame_callback *expected = NULL;
        if (atomic_compare_exchange_strong(&observed[index], &expected, callback) || expected == callback)
            return observers[index];
    }
    return callback;
}

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
    return function;
}

// A statically linked nghttp2 takes the place of this definition.
__attribute__((weak, used, visibility("default")))
void nghttp2_session_callbacks_set_on_frame_recv_callback(void *callbacks, frame_callback *callback) {
    const void *caller = __builtin_return_address(0);
    setter *set = (setter *)look_up("nghttp2_session_callbacks_set_on_frame_recv_callback", caller);
    if (!set) return;
    stream_context *get = (stream_context *)look_up("nghttp2_session_get_stream_user_data", caller);
    if (get) atomic_store_explicit(&get_stream_context, get, memory_order_relaxed);
    set(callbacks, callback && get ? observer(callback) : callback);
}

#endif
