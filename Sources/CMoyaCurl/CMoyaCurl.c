#if defined(__linux__)

#define _GNU_SOURCE
#include "CMoyaCurl.h"

#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>

void moya_name_thread(pthread_t thread, const char *name) { pthread_setname_np(thread, name); }

// libcurl opens the file that SSLKEYLOGFILE names, and keeps it open, even if nothing is written to it. An empty value names
// none; it is changed in place, because other threads may read the environment.
CURLcode moya_global_init(void) {
    char *file = getenv("SSLKEYLOGFILE");
    char first = file ? *file : 0;
    if (first) *file = 0;
    CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (first) *file = first;
    return code;
}

// By default, OpenSSL releases its state when the process exits, while other threads still use it.
void moya_keep_tls_at_exit(void) { OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL); }

bool moya_url_read(const char *url, moya_url_parts *parts) {
    CURLU *handle = curl_url();
    if (!handle) return false;
    bool done = curl_url_set(handle, CURLUPART_URL, url, 0) == CURLUE_OK &&
        curl_url_get(handle, CURLUPART_HOST, &parts->host, 0) == CURLUE_OK &&
        curl_url_get(handle, CURLUPART_PORT, &parts->port, CURLU_DEFAULT_PORT) == CURLUE_OK;
    curl_url_cleanup(handle);
    return done;
}

void moya_url_free(moya_url_parts parts) {
    curl_free(parts.host);
    curl_free(parts.port);
}

struct ssl_st *moya_easy_tls(CURL *easy) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return NULL;
    if (session->backend != CURLSSLBACKEND_OPENSSL || !session->internals) return NULL;
    return session->internals;
}

static bool tls_has_streams(const struct ssl_st *ssl) {
    const unsigned char *protocol = NULL;
    unsigned int length = 0;
    SSL_get0_alpn_selected(ssl, &protocol, &length);
    return length == 2 && memcmp(protocol, "h2", 2) == 0;
}

bool moya_easy_has_streams(CURL *easy) {
    const SSL *ssl = moya_easy_tls(easy);
    return !ssl || tls_has_streams(ssl);
}

bool moya_easy_has_unread_bytes(CURL *easy) {
    const SSL *ssl = moya_easy_tls(easy);
    return ssl && SSL_has_pending(ssl);
}

#endif
