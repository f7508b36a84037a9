// `import MoyaSession` also imports the transport types in the session layer's own API, and Foundation's types that
// Apple's systems have in Foundation.
@_exported public import MoyaTransport

#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
