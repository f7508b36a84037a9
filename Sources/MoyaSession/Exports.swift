// `import MoyaSession` also imports the transport types in the session layer's own API, and Foundation, as `import
// Alamofire` does.
@_exported public import Foundation
@_exported public import MoyaTransport

#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
