import MoyaTransport

/// A transport stage with the properties of the transport that it wraps.
protocol WrappingTransport: Transport {
    var inner: any Transport { get }
}

extension WrappingTransport {
    var deliversWhereCodeMayBlock: Bool { inner.deliversWhereCodeMayBlock }
    var configurationFailure: TransportFailure? { inner.configurationFailure }
    var clientIdentityDigest: String? { inner.clientIdentityDigest }
    var authenticationSchemes: Set<TransportAuthentication.Scheme> { inner.authenticationSchemes }
}
