#!/usr/bin/env bash
# Makes a private certificate authority and two server certificates, for one run of the integration tests.
#
#   make-certificates.sh DIRECTORY
#
# writes into DIRECTORY:
#   ca.pem                              the authority that a session trusts
#   server.pem, server.key              for localhost, 127.0.0.1 and ::1
#   wrong-name.pem, wrong-name.key      from the same authority, for a name that no test connects to
# Everything is valid for two days: the keys are made at run time and never committed.
set -euo pipefail

if [[ $# -ne 1 ]]; then
    echo "usage: $0 DIRECTORY" >&2
    exit 64
fi
mkdir -p "$1"
cd "$1"
umask 077

new_key() { # FILE
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1" 2>/dev/null
}

make_authority() {
    new_key ca.key
    cat >ca.cnf <<'CONFIG'
[req]
distinguished_name = name
x509_extensions = extensions
prompt = no
[name]
CN = Integration test authority
[extensions]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
CONFIG
    openssl req -new -x509 -sha256 -days 2 -config ca.cnf -key ca.key -out ca.pem
}

make_server_certificate() { # NAME COMMON_NAME SUBJECT_ALTERNATIVE_NAMES
    local name=$1 common_name=$2 alternative_names=$3
    new_key "$name.key"
    cat >"$name.cnf" <<CONFIG
[extensions]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = $alternative_names
CONFIG
    openssl req -new -sha256 -key "$name.key" -subj "/CN=$common_name" -out "$name.csr"
    openssl x509 -req -sha256 -days 2 -in "$name.csr" -CA ca.pem -CAkey ca.key -CAcreateserial \
        -extfile "$name.cnf" -extensions extensions -out "$name.pem" 2>/dev/null
}

make_authority
make_server_certificate server localhost "DNS:localhost, IP:127.0.0.1, IP:::1"
make_server_certificate wrong-name elsewhere.test "DNS:elsewhere.test"
# The authority's key is removed, since it signs nothing else.
rm -f ca.key ca.srl ./*.cnf ./*.csr
