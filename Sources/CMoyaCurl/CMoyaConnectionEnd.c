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
    bool is_closed;
    bool has_streams;
    // Whether the last record of an HTTP/2 connection can be a GOAWAY of libcurl.
    bool may_end_with_goaway;
    // Whether an HTTP/2 connection has carried the body of a request, for which the server may send WINDOW_UPDATE, as
    // long as RST_STREAM, at any time.
    bool has_carried_body;
    // The records that were read since the last part of a response was delivered, and the length of the last one.
    unsigned undelivered;
    int last_read;
};

// The sizes of a GOAWAY and an RST_STREAM frame (RFC 9113 sections 6.8 and 6.4), and of what TLS adds to them: 1.3 a
// type and a tag, 1.2 a nonce and a tag. The frames that a client sends without being asked to, such as a SETTINGS
// acknowledgement, are shorter than a GOAWAY.
enum { GOAWAY_BYTES = 17, RESET_BYTES = 13, ALERT_BYTES = 2 };
enum { ADDED_BY_TLS_1_3 = 17, ADDED_BY_TLS_1_2 = 24, ADDED_BY_CHACHA20 = 16 };

static int added_bytes(const SSL *ssl) {
    if (SSL_version(ssl) == TLS1_3_VERSION) return ADDED_BY_TLS_1_3;
    const SSL_CIPHER *cipher = SSL_get_current_cipher(ssl);
    return cipher && SSL_CIPHER_get_cipher_nid(cipher) == NID_chacha20_poly1305 ? ADDED_BY_CHACHA20 : ADDED_BY_TLS_1_2;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int end_index = -1;

static void release(void *parent, void *value, CRYPTO_EX_DATA *data, int index, long argl, void *argp) {
    moya_connection_end *end = value;
    if (end) end->is_closed = true;
    moya_connection_end_release(end);
}

static void make_index(void) { end_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, release); }

static void hear(const SSL *ssl, int where, int value) {
    if (where != SSL_CB_READ_ALERT || (value & 0xFF) != SSL_AD_CLOSE_NOTIFY) return;
    moya_connection_end *end = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), end_index);
    if (end) end->is_announced = true;
}

// After a GOAWAY of its own, libcurl neither reads nor writes.
static void hear_record(
    int is_written, int version, int type, const void *record, size_t length, SSL *ssl, void *argument) {
    const unsigned char *header = record;
    moya_connection_end *end = argument;
    if (!end->has_streams || type != SSL3_RT_HEADER || length < SSL3_RT_HEADER_LENGTH) return;
    if (header[0] != SSL3_RT_APPLICATION_DATA) return;
    int size = (header[3] << 8 | header[4]) - added_bytes(ssl);
    if (is_written && size >= GOAWAY_BYTES) end->may_end_with_goaway = true;
    if (is_written || size <= ALERT_BYTES) return;
    end->may_end_with_goaway = false;
    end->undelivered++;
    end->last_read = size;
}

void moya_watch_connection_end(SSL_CTX *tls_context) {
    pthread_once(&once, make_index);
    moya_connection_end *end = calloc(1, sizeof *end);
    if (!end) return;
    end->holders = 1;
    if (!SSL_CTX_set_ex_data(tls_context, end_index, end)) {
        free(end);
        return;
    }
    SSL_CTX_set_info_callback(tls_context, hear);
    // OpenSSL from 3.2 on ignores one that is set after the handshake.
    SSL_CTX_set_msg_callback(tls_context, hear_record);
    SSL_CTX_set_msg_callback_arg(tls_context, end);
}

moya_connection_end *moya_easy_hold_connection_end(CURL *easy, bool has_body) {
    SSL *ssl = moya_easy_tls(easy);
    moya_connection_end *end = ssl && end_index >= 0 ? SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), end_index) : NULL;
    if (!end) return NULL;
    if (moya_tls_has_streams(ssl)) {
        end->has_carried_body |= has_body;
        end->has_streams = true;
    }
    end->holders++;
    return end;
}

bool moya_connection_end_is_announced(const moya_connection_end *end) { return end->is_announced; }

bool moya_connection_end_is_broken_off(const moya_connection_end *end) {
    return end->is_closed && end->may_end_with_goaway;
}

void moya_connection_end_has_delivered(moya_connection_end *end) { end->undelivered = 0; }

bool moya_connection_end_is_reset(const moya_connection_end *end) {
    // The connection and one transfer.
    bool serves_one = end->holders == 2;
    return serves_one && !end->has_carried_body && end->undelivered == 1 && end->last_read == RESET_BYTES;
}

void moya_connection_end_release(moya_connection_end *end) {
    if (end && --end->holders == 0) free(end);
}

#endif
