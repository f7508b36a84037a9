// The client's certificate and key, read and checked by OpenSSL before any connection.
#ifndef CMOYAIDENTITY_H
#define CMOYAIDENTITY_H

#if defined(__linux__)

#include "CMoyaCurl.h"

#pragma clang assume_nonnull begin

/// A text made by this file; free with moya_text_free.
typedef struct {
    char *_Nullable bytes;
    size_t length;
} moya_text;

/// Overwrites the text, which may be a key, and frees it.
void moya_text_free(moya_text text);

/// The problem of a client certificate or key.
typedef enum {
    MOYA_IDENTITY_USABLE = 0,
    /// The certificate is missing or malformed.
    MOYA_IDENTITY_BAD_CERTIFICATE,
    /// The private key is missing or malformed.
    MOYA_IDENTITY_BAD_KEY,
    /// The key is encrypted, and there is no password.
    MOYA_IDENTITY_NO_PASSWORD,
    /// The password does not decrypt the key or the archive.
    MOYA_IDENTITY_WRONG_PASSWORD,
    /// The key does not belong to the certificate.
    MOYA_IDENTITY_MISMATCH,
    /// The archive is missing or malformed.
    MOYA_IDENTITY_BAD_ARCHIVE,
    /// The encryption of the key or the archive is not supported by this OpenSSL, or no longer.
    MOYA_IDENTITY_UNKNOWN_CIPHER,
} moya_identity_fault;

/// Reads a chain and a key in PEM form, and writes both in PEM form, with the key decrypted.
moya_identity_fault moya_identity_read_pem(
    const unsigned char *chain, size_t chain_length, const unsigned char *key, size_t key_length,
    const char *_Nullable password, moya_text *chain_pem, moya_text *key_pem);
/// Reads a PKCS#12 archive, and writes its chain and its key in PEM form, with the key decrypted.
moya_identity_fault moya_identity_read_pkcs12(
    const unsigned char *archive, size_t length, const char *password, moya_text *chain_pem, moya_text *key_pem);

#pragma clang assume_nonnull end

#endif
#endif
