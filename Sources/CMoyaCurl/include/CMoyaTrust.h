// OpenSSL's verify callback: asked in every handshake, before the first request byte, whether to talk to a server.
#ifndef CMOYATRUST_H
#define CMOYATRUST_H

#if defined(__linux__)

#include "CMoyaCurl.h"

#include <openssl/x509_vfy.h>

#pragma clang assume_nonnull begin

/// What a server showed, valid while it is being evaluated.
typedef struct moya_presented moya_presented;

/// Makes the context of a handshake from the context of a transfer; the result is released with the TLS context.
typedef void *_Nonnull (*moya_handshake_begin)(void *transfer);
/// Returns 1 to talk to the server, 0 to refuse it.
typedef int (*moya_handshake_evaluate)(void *handshake, moya_presented *presented);
typedef void (*moya_handshake_release)(void *handshake);

/// Says whom to ask; once for the process, before the first transfer with a policy.
void moya_trust_install(
    moya_handshake_begin begin, moya_handshake_evaluate evaluate, moya_handshake_release release);

/// Has every connection that the handle makes tell why OpenSSL refuses a server, where libcurl would not know.
CURLcode moya_easy_set_platform_trust(CURL *easy);

/// Has every connection that the handle makes ask the policy; fails when libcurl does not use OpenSSL.
///
/// A TLS context whose newest version is set to TLS 1.3 is a proxy's, which the policy is not asked about: libcurl offers
/// nothing else to tell it by. So no other context may have that set.
CURLcode moya_easy_set_trust(CURL *easy, void *transfer);

/// How many certificates the chain has: as it was validated, or, when it is not valid, those of the certificates shown
/// of which each has signed the one before.
int moya_presented_count(const moya_presented *presented);
/// Gives the DER form of a certificate and returns its length; to be freed with moya_presented_free.
int moya_presented_der(const moya_presented *presented, int index, unsigned char *_Nullable *_Nonnull der);
void moya_presented_free(unsigned char *_Nullable der);

/// Returns X509_V_OK when the chain leads to an anchor, is in its validity period and fit for a server; else why not.
int moya_presented_validate(
    const moya_presented *presented, const unsigned char *const _Nonnull *_Nullable anchors,
    const size_t *_Nullable lengths, size_t anchor_count);
/// OpenSSL's words for an X509_V_ERR code.
const char *moya_verify_error_text(long error);
/// Returns 1 when the server's certificate is for the host, a name or an IP address.
int moya_presented_matches_host(const moya_presented *presented, const char *host);

/// What is known of a certificate's revocation.
typedef enum {
    MOYA_REVOCATION_UNKNOWN = 0,
    MOYA_REVOCATION_GOOD = 1,
    MOYA_REVOCATION_REVOKED = 2,
} moya_revocation;

/// How many certificates of the chain, from the server's own on, can have been revoked: all but the anchor.
int moya_presented_revocable_count(const moya_presented *presented);

/// Looks the chain's certificates up in lists in DER form, and writes what is known of each.
///
/// Returns -1, or the index of a list that is none.
int moya_presented_look_up(
    const moya_presented *presented, const unsigned char *const _Nonnull *_Nullable lists,
    const size_t *_Nullable lengths, size_t list_count, moya_revocation *found, int found_count);

/// What the OCSP response says that the server has stapled to its handshake, of its own certificate.
///
/// Writes why nothing is known when that is so. Where the response comes later in the handshake, the answer is unknown,
/// and the policy will be asked again.
moya_revocation moya_presented_staple(moya_presented *presented, const char *_Nullable *_Nonnull why);
/// Whether the stapled response, which the policy asked for, comes later in the handshake.
bool moya_presented_awaits_staple(const moya_presented *presented);

#pragma clang assume_nonnull end

#endif
#endif
