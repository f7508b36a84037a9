// Stores of trusted root certificates. libcurl would read the files for each connection anew, through descriptors that
// child processes inherit.
#ifndef CMOYAAUTHORITIES_H
#define CMOYAAUTHORITIES_H

#if defined(__linux__)

#include <openssl/x509_vfy.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Makes a store, which any number of connections can share; NULL if there is no memory. Must be released.
///
/// A certificate that the store lacks is looked up in the directory, where files are named by the hash of their
/// subjects (c_rehash(1)); NULL for none.
X509_STORE *_Nullable moya_authorities_make(const char *_Nullable directory);
/// Adds one certificate in DER form or any number in PEM form.
///
/// Returns their number, or -1 if one of them is malformed.
int moya_authorities_add(X509_STORE *store, const unsigned char *bytes, size_t length);
/// The number of the store, which no other store of the process has.
uintptr_t moya_authorities_number(const X509_STORE *store);
void moya_authorities_retain(X509_STORE *store);
void moya_authorities_release(X509_STORE *store);

#pragma clang assume_nonnull end

#endif
#endif
