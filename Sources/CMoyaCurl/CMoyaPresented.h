// The certificates of a handshake, shared by the files of this target.
#ifndef CMOYAPRESENTED_H
#define CMOYAPRESENTED_H

#include "CMoyaTrust.h"

#include <openssl/x509.h>

/// A chain to an anchor that the policy has named.
struct moya_anchored {
    STACK_OF(X509) * certificates;
    /// The anchor's index; the certificates after it are its own authorities.
    int anchor;
};

struct moya_presented {
    X509 *certificate;
    /// All certificates that the server sent.
    STACK_OF(X509) * shown;
    /// The anchors of the session.
    X509_STORE *store;
    /// The level of the connection, as in SSL_CTX_set_security_level(3).
    int security_level;
    /// The chain to an anchor of the session or, if there is none, the linked certificates that the server sent.
    STACK_OF(X509) * chain;
    /// The result for the anchors of the session; those of the policy do not change it.
    int validation_error;
    /// The chains of the validations that succeeded with anchors of the policy.
    struct moya_anchored *anchored;
    int anchored_count;
    const unsigned char *staple;
    long staple_length;
    /// `true` if the handshake has not reached the stapled response yet.
    bool staple_is_to_come;
    /// `true` if the policy has requested it meanwhile.
    bool awaits_staple;
};

#endif
