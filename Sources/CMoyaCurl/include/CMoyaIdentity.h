// Certificates and keys of the configuration, read and checked by OpenSSL before any connection is made.
#ifndef CMOYAIDENTITY_H
#define CMOYAIDENTITY_H

#if defined(__linux__)

#include "CMoyaCurl.h"

#pragma clang assume_nonnull begin

/// Text that this file has made; to be given back with moya_text_free.
typedef struct {
    char *_Nullable bytes;
    size_t length;
} moya_text;

/// Overwrites the text, which may be a key, and frees it.
void moya_text_free(moya_text text);

/// Reads one certificate in DER form or any number of them in PEM form, and adds them, in PEM form, to a text.
///
/// Returns how many there were, or -1 when one of them is malformed.
int moya_certificates_read(const unsigned char *bytes, size_t length, moya_text *pem);

/// The problem of a client's certificate or key.
typedef enum {
    MOYA_IDENTITY_USABLE = 0,
    /// There is no certificate, or a malformed one.
    MOYA_IDENTITY_BAD_CERTIFICATE,
    /// There is no private key, or a malformed one.
    MOYA_IDENTITY_BAD_KEY,
    /// The key is encrypted, and there is no password.
    MOYA_IDENTITY_NO_PASSWORD,
    /// The password does not open the key or the archive.
    MOYA_IDENTITY_WRONG_PASSWORD,
    /// The key is not the certificate's.
    MOYA_IDENTITY_MISMATCH,
    /// There is no archive, or a malformed one.
    MOYA_IDENTITY_BAD_ARCHIVE,
    /// The key or the archive is encrypted in a way that this OpenSSL does not know, or no longer.
    MOYA_IDENTITY_UNKNOWN_CIPHER,
} moya_identity_fault;

/// Reads a chain and a key in PEM form, and writes both in PEM form, the key no longer encrypted.
moya_identity_fault moya_identity_read_pem(
    const unsigned char *chain, size_t chain_length, const unsigned char *key, size_t key_length,
    const char *_Nullable password, moya_text *chain_pem, moya_text *key_pem);
/// Reads a PKCS#12 archive, and writes its chain and its key in PEM form, the key no longer encrypted.
moya_identity_fault moya_identity_read_pkcs12(
    const unsigned char *archive, size_t length, const char *password, moya_text *chain_pem, moya_text *key_pem);

#pragma clang assume_nonnull end

#endif
#endif
