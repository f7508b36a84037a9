#if defined(__linux__)

#include "CMoyaCertificates.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>

int moya_no_password(char *buffer, int size, int writes, void *context) { return -1; }

static int read_pem(BIO *source, bool (*use)(X509 *, void *), void *context) {
    int count = 0;
    X509 *certificate;
    while ((certificate = PEM_read_bio_X509_AUX(source, NULL, moya_no_password, NULL))) {
        bool done = use(certificate, context);
        X509_free(certificate);
        if (!done) return -1;
        count++;
    }
    // A valid text ends with the error that there is no further block.
    return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE ? count : -1;
}

static int read_der(const unsigned char *bytes, size_t length, bool (*use)(X509 *, void *), void *context) {
    const unsigned char *end = bytes;
    X509 *certificate = d2i_X509(NULL, &end, (long)length);
    bool done = certificate && end == bytes + length && use(certificate, context);
    X509_free(certificate);
    return done ? 1 : -1;
}

int moya_read_certificates(
    const unsigned char *bytes, size_t length, bool (*use)(X509 *, void *), void *context) {
    BIO *source = length > 0 && length <= INT_MAX ? BIO_new_mem_buf(bytes, (int)length) : NULL;
    if (!source) return 0;
    ERR_set_mark();
    // A DER certificate is a SEQUENCE, of more than 127 bytes; text before PEM may begin with its tag, the digit 0.
    bool is_der = length > 1 && bytes[0] == 0x30 && bytes[1] & 0x80;
    int count = is_der ? read_der(bytes, length, use, context) : read_pem(source, use, context);
    ERR_pop_to_mark();
    BIO_free(source);
    return count;
}

#endif
