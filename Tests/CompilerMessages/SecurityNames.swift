// The names of Security.framework, which exists only on Apple platforms.
import Foundation
import MoyaSession

struct PinEvaluator: ServerTrustEvaluating {
    // expected-error@+1 {{Security.framework is not here: an evaluator is given a PresentedServerTrust}}
    func evaluate(_ trust: SecTrust, forHost host: String) throws {}
}

// expected-error@+1 {{Security.framework is not here: a certificate is Data in DER or PEM form}}
func certificates() -> [SecCertificate] { [] }

// expected-error@+1 {{Security.framework is not here: a key is Data in DER or PEM form}}
func keys() -> [SecKey] { [] }
