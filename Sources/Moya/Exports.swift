// `import Moya` imports the names of this module, those below, and Foundation. The other names of the session layer
// require `import MoyaSession`, so that an app's own `Request` or `HTTPMethod` is not ambiguous. Members of the session
// layer's types need no second import.
@_exported public import Foundation

@_exported public import struct MoyaSession.Deadlines
@_exported public import typealias MoyaSession.DownloadDestination
@_exported public import struct MoyaSession.JSONEncoding
@_exported public import protocol MoyaSession.ParameterEncoding
@_exported public import protocol MoyaSession.RequestInterceptor
@_exported public import class MoyaSession.RequestMultipartFormData
@_exported public import class MoyaSession.Session
@_exported public import struct MoyaSession.URLEncoding

#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
