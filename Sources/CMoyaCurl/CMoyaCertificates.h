// Reading certificates, shared by the files of this target.
#ifndef CMOYACERTIFICATES_H
#define CMOYACERTIFICATES_H

#include <openssl/x509.h>
#include <stdbool.h>

/// Reads one certificate in DER form or any number in PEM form, and calls a function with each, which it must not keep.
///
/// Returns their number, or -1 if one of them is malformed or the function has returned false.
int moya_read_certificates(
    const unsigned char *bytes, size_t length, bool (*use)(X509 *certificate, void *context), void *context);

/// OpenSSL's password callback that knows no password: by default OpenSSL asks for that of an encrypted block, on the
/// terminal or the standard input.
int moya_no_password(char *buffer, int size, int writes, void *context);

#endif
