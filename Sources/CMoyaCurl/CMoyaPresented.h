// What a server showed in a handshake, as the files of this target share it.
#ifndef CMOYAPRESENTED_H
#define CMOYAPRESENTED_H

#include "CMoyaTrust.h"

#include <openssl/x509.h>

struct moya_presented {
    X509 *certificate;
    /// Everything that the server sent.
    STACK_OF(X509) * shown;
    /// The anchors of the session.
    X509_STORE *store;
    STACK_OF(X509) * chain;
    int validation_error;
    const unsigned char *staple;
    long staple_length;
    /// Whether the handshake has not come to the stapled response yet.
    bool staple_is_to_come;
    /// Whether the policy has asked for it nevertheless.
    bool awaits_staple;
};

#endif
