// Functions that Swift cannot call directly: libcurl's variadic functions, and epoll and eventfd, which Swift's Glibc
// module lacks. Constants keep libcurl's own names.
#ifndef CMOYACURL_H
#define CMOYACURL_H

#if defined(__linux__)

#if !__has_include(<curl/curl.h>) || !__has_include(<openssl/ssl.h>)
#error "Moya needs the headers of libcurl and OpenSSL: apt-get install libcurl4-openssl-dev libssl-dev"
#endif

#include <curl/curl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#if LIBCURL_VERSION_NUM < 0x075100
#error "Moya needs libcurl 7.81 or later"
#endif

#pragma clang assume_nonnull begin

/// Names a thread, with at most 15 bytes; a GNU function, which Swift's Glibc module lacks.
void moya_name_thread(pthread_t thread, const char *name);

// Setting options.

static inline CURLcode moya_easy_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode moya_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode moya_easy_set_pointer(CURL *easy, CURLoption option, const void *_Nullable value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode moya_easy_set_string(CURL *easy, CURLoption option, const char *_Nullable value) {
    return curl_easy_setopt(easy, option, value);
}

/// Refuses URLs of other protocols than HTTP and HTTPS.
static inline CURLcode moya_easy_allow_only_http(CURL *easy) {
    // Its successor CURLOPT_PROTOCOLS_STR came with 7.85.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#pragma clang diagnostic pop
}

typedef size_t (*moya_data_callback)(char *bytes, size_t size, size_t count, void *context);
typedef int (*moya_seek_callback)(void *context, curl_off_t offset, int origin);
typedef int (*moya_prerequest_callback)(
    void *context, char *remote_address, char *local_address, int remote_port, int local_port);
typedef curl_socket_t (*moya_socket_open_callback)(
    void *context, curlsocktype purpose, struct curl_sockaddr *address);
typedef int (*moya_socket_close_callback)(void *context, curl_socket_t socket);
typedef int (*moya_resolver_start_callback)(void *_Nullable state, void *_Nullable reserved, void *context);

static inline CURLcode moya_easy_set_data_callback(CURL *easy, CURLoption option, moya_data_callback callback) {
    return curl_easy_setopt(easy, option, callback);
}
static inline CURLcode moya_easy_set_seek_callback(CURL *easy, moya_seek_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, callback);
}
static inline CURLcode moya_easy_set_prerequest_callback(CURL *easy, moya_prerequest_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}
static inline CURLcode moya_easy_set_resolver_start_callback(CURL *easy, moya_resolver_start_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, callback);
}
static inline CURLcode moya_easy_set_socket_open_callback(CURL *easy, moya_socket_open_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}
static inline CURLcode moya_easy_set_socket_close_callback(CURL *easy, moya_socket_close_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
}

// Swift does not see the CURLAUTH_ constants, which are casts.

static inline CURLcode moya_easy_use_digest(CURL *easy) {
    return curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_DIGEST);
}
static inline CURLcode moya_easy_use_ntlm(CURL *easy) {
    return curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_NTLM);
}
static inline CURLcode moya_easy_use_negotiate(CURL *easy) {
    return curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_NEGOTIATE);
}

// Reading the results of a transfer.

static inline CURLcode moya_easy_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode moya_easy_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode moya_easy_get_string(CURL *easy, CURLINFO info, const char *_Nullable *_Nonnull value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode moya_easy_get_pointer(CURL *easy, CURLINFO info, void *_Nullable *_Nonnull value) {
    return curl_easy_getinfo(easy, info, value);
}

/// Initializes libcurl.
CURLcode moya_global_init(void);

/// Keeps OpenSSL usable while the process ends; call it before any other function of OpenSSL.
void moya_keep_tls_at_exit(void);

// Reading URLs.

/// The host, in brackets for an IPv6 address, and the port that libcurl connects to; free with moya_url_free.
typedef struct {
    char *_Nullable host;
    char *_Nullable port;
} moya_url_parts;

bool moya_url_read(const char *url, moya_url_parts *parts);
void moya_url_free(moya_url_parts parts);

/// Returns OpenSSL's object for the handle's connection, if it is over TLS.
struct ssl_st *_Nullable moya_easy_tls(CURL *easy);

/// Returns whether the handle's connection, which is over TLS, speaks HTTP/2; true if it is gone.
bool moya_easy_has_streams(CURL *easy);

/// Returns whether TLS has bytes of the handle's connection that libcurl has not read; valid while the handle has the
/// connection.
bool moya_easy_has_unread_bytes(CURL *easy);

// The multi handle.

typedef int (*moya_socket_callback)(CURL *easy, curl_socket_t socket, int what, void *context, void *_Nullable socket_context);
typedef int (*moya_timer_callback)(CURLM *multi, long timeout_ms, void *context);

static inline CURLMcode moya_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode moya_multi_set_callbacks(
    CURLM *multi, moya_socket_callback on_socket, moya_timer_callback on_timer, void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    return code;
}

/// Prevents child processes from inheriting the sockets or the pipe by which libcurl before 8.8 wakes a multi handle;
/// called before its first transfer.
void moya_multi_close_wakeup_on_exec(CURLM *multi, bool is_pipe);

/// The number of bytes that the peer of a TCP socket has acknowledged; -1 if it is unknown.
long long moya_socket_acknowledged_bytes(int socket);

/// The number of bytes in the buffer of a socket: those to be sent, and those that the peer has not acknowledged.
long long moya_socket_unacknowledged_bytes(int socket);

/// Takes the next finished transfer; returns NULL if there is none.
static inline CURL *_Nullable moya_multi_next_finished(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}

#pragma clang assume_nonnull end

#endif
#endif
