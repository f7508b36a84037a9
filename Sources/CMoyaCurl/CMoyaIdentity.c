#if defined(__linux__)

#include "CMoyaIdentity.h"
#include "CMoyaCertificates.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <string.h>

void moya_text_free(moya_text text) { OPENSSL_clear_free(text.bytes, text.length); }

/// Appends the written bytes to a text, and frees their buffer.
static bool take(BIO *written, moya_text *text) {
    char *bytes = NULL;
    long count = BIO_get_mem_data(written, &bytes);
    char *longer = count < 0 ? NULL : OPENSSL_clear_realloc(text->bytes, text->length, text->length + count + 1);
    if (longer) {
        if (count) memcpy(longer + text->length, bytes, count);
        text->bytes = longer;
        text->length += count;
    }
    BIO_free(written);
    return longer != NULL;
}

static BIO *reading(const unsigned char *bytes, size_t length) {
    return length > 0 && length <= INT_MAX ? BIO_new_mem_buf(bytes, (int)length) : NULL;
}

struct password {
    const char *text;
    bool was_asked_for;
};

static int give_password(char *buffer, int size, int writes, void *context) {
    struct password *password = context;
    password->was_asked_for = true;
    if (!password->text || strlen(password->text) > (size_t)size) return -1;
    int length = (int)strlen(password->text);
    memcpy(buffer, password->text, length);
    return length;
}

static bool write_pem(X509 *certificate, void *written) { return PEM_write_bio_X509(written, certificate); }

/// Appends certificates, in PEM form, to a text; false if there is none, or one is malformed.
static bool rewrite_chain(const unsigned char *bytes, size_t length, moya_text *pem) {
    BIO *written = BIO_new(BIO_s_mem());
    if (!written) return false;
    int count = moya_read_certificates(bytes, length, write_pem, written);
    return take(written, pem) && count > 0;
}

/// `true` if the errors since the mark mean that an algorithm is missing.
static bool lacks_algorithm(void) {
    bool lacks = false;
    unsigned long code;
    while ((code = ERR_get_error())) {
        int reason = ERR_GET_REASON(code);
#ifdef ERR_R_UNSUPPORTED
        if (reason == ERR_R_UNSUPPORTED) lacks = true;
#endif
        if (ERR_GET_LIB(code) == ERR_LIB_EVP && reason == EVP_R_UNSUPPORTED_ALGORITHM) lacks = true;
    }
    return lacks;
}

static bool write_key(EVP_PKEY *key, moya_text *pem) {
    BIO *written = BIO_new(BIO_s_secmem());
    if (!written) return false;
    bool done = PEM_write_bio_PKCS8PrivateKey(written, key, NULL, NULL, 0, NULL, NULL) == 1;
    return take(written, pem) && done;
}

static bool write_certificate(X509 *certificate, moya_text *pem) {
    BIO *written = BIO_new(BIO_s_mem());
    if (!written) return false;
    bool done = PEM_write_bio_X509(written, certificate) == 1;
    return take(written, pem) && done;
}

static moya_identity_fault read_key(
    BIO *source, X509 *certificate, const char *password_text, moya_text *key_pem) {
    struct password password = {password_text, false};
    EVP_PKEY *key = PEM_read_bio_PrivateKey(source, NULL, give_password, &password);
    moya_identity_fault fault = MOYA_IDENTITY_USABLE;
    if (!key) {
        bool lacks = lacks_algorithm();
        if (!password.was_asked_for) fault = MOYA_IDENTITY_BAD_KEY;
        else if (!password.text) fault = MOYA_IDENTITY_NO_PASSWORD;
        else fault = lacks ? MOYA_IDENTITY_UNKNOWN_CIPHER : MOYA_IDENTITY_WRONG_PASSWORD;
    } else if (X509_check_private_key(certificate, key) != 1) {
        fault = MOYA_IDENTITY_MISMATCH;
    } else if (!write_key(key, key_pem)) {
        fault = MOYA_IDENTITY_BAD_KEY;
    }
    EVP_PKEY_free(key);
    return fault;
}

moya_identity_fault moya_identity_read_pem(
    const unsigned char *chain, size_t chain_length, const unsigned char *key, size_t key_length, const char *password,
    moya_text *chain_pem, moya_text *key_pem) {
    if (!rewrite_chain(chain, chain_length, chain_pem)) return MOYA_IDENTITY_BAD_CERTIFICATE;
    BIO *written = reading((const unsigned char *)chain_pem->bytes, chain_pem->length);
    X509 *own = written ? PEM_read_bio_X509(written, NULL, moya_no_password, NULL) : NULL;
    BIO_free(written);
    BIO *source = reading(key, key_length);
    moya_identity_fault fault = own ? MOYA_IDENTITY_BAD_KEY : MOYA_IDENTITY_BAD_CERTIFICATE;
    ERR_clear_error();
    if (own && source) fault = read_key(source, own, password, key_pem);
    ERR_clear_error();
    BIO_free(source);
    X509_free(own);
    return fault;
}

static moya_identity_fault open_archive(
    PKCS12 *archive, const char *password, moya_text *chain_pem, moya_text *key_pem) {
    bool has_mac = PKCS12_mac_present(archive);
    // An empty password is either a missing or an empty one.
    if (has_mac && !PKCS12_verify_mac(archive, password, -1) &&
        (password[0] || !PKCS12_verify_mac(archive, NULL, 0)))
        return lacks_algorithm() ? MOYA_IDENTITY_UNKNOWN_CIPHER : MOYA_IDENTITY_WRONG_PASSWORD;
    // OpenSSL 3.0 parses no archive without a MAC, which is optional (RFC 7292 section 4).
    if (!has_mac) PKCS12_set_mac(archive, password, -1, NULL, 0, 1, NULL);
    EVP_PKEY *key = NULL;
    X509 *own = NULL;
    STACK_OF(X509) *others = NULL;
    moya_identity_fault fault = MOYA_IDENTITY_USABLE;
    ERR_clear_error();
    if (!PKCS12_parse(archive, password, &key, &own, &others)) {
        if (lacks_algorithm()) fault = MOYA_IDENTITY_UNKNOWN_CIPHER;
        else fault = has_mac ? MOYA_IDENTITY_BAD_ARCHIVE : MOYA_IDENTITY_WRONG_PASSWORD;
    } else if (!key) {
        fault = MOYA_IDENTITY_BAD_KEY;
    } else if (!own || !write_certificate(own, chain_pem)) {
        fault = MOYA_IDENTITY_BAD_CERTIFICATE;
    } else if (!write_key(key, key_pem)) {
        fault = MOYA_IDENTITY_BAD_KEY;
    }
    for (int index = 0; index < sk_X509_num(others) && fault == MOYA_IDENTITY_USABLE; index++) {
        if (!write_certificate(sk_X509_value(others, index), chain_pem)) fault = MOYA_IDENTITY_BAD_CERTIFICATE;
    }
    EVP_PKEY_free(key);
    X509_free(own);
    sk_X509_pop_free(others, X509_free);
    return fault;
}

moya_identity_fault moya_identity_read_pkcs12(
    const unsigned char *archive, size_t length, const char *password, moya_text *chain_pem, moya_text *key_pem) {
    BIO *source = reading(archive, length);
    PKCS12 *opened = source ? d2i_PKCS12_bio(source, NULL) : NULL;
    ERR_clear_error();
    moya_identity_fault fault =
        opened ? open_archive(opened, password, chain_pem, key_pem) : MOYA_IDENTITY_BAD_ARCHIVE;
    ERR_clear_error();
    PKCS12_free(opened);
    BIO_free(source);
    return fault;
}

#endif
