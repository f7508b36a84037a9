#if defined(__linux__)

#include "CMoyaConnectionEnd.h"
#include "CMoyaTrust.h"

#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>

// libcurl makes a context for each connection, and uses both on one thread at a time. With 7.88 the end of a connection
// looks the same with and without the server's close notification.
struct moya_connection_end {
    int holders;
    bool is_announced;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int end_index = -1;

static void release(void *parent, void *value, CRYPTO_EX_DATA *data, int index, long argl, void *argp) {
    moya_connection_end_release(value);
}

static void make_index(void) { end_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, release); }

void moya_hear_connection_end(const SSL *ssl, int where, int value) {
    if (where != SSL_CB_READ_ALERT || (value & 0xFF) != SSL_AD_CLOSE_NOTIFY) return;
    moya_connection_end *end = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), end_index);
    if (end) end->is_announced = true;
}

void moya_watch_connection_end(SSL_CTX *tls_context) {
    pthread_once(&once, make_index);
    moya_connection_end *end = calloc(1, sizeof *end);
    if (!end) return;
    end->holders = 1;
    if (!SSL_CTX_set_ex_data(tls_context, end_index, end)) free(end);
}

moya_connection_end *moya_easy_hold_connection_end(CURL *easy) {
    SSL *ssl = moya_easy_tls(easy);
    moya_connection_end *end = ssl && end_index >= 0 ? SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), end_index) : NULL;
    if (end) end->holders++;
    return end;
}

bool moya_connection_end_is_announced(const moya_connection_end *end) { return end->is_announced; }

void moya_connection_end_release(moya_connection_end *end) {
    if (end && --end->holders == 0) free(end);
}

#endif
