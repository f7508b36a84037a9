// `import Moya` is enough: the engine and what Foundation has for networking come with it.
@_exported public import Foundation
@_exported public import MoyaSession

#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
