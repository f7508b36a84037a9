import Foundation
public import MoyaSession
import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension MoyaProvider {
    /// Makes the endpoint from the properties of a target; `sampleData` is read when a stub is delivered.
    @Sendable public final class func defaultEndpointMapping(for target: Target) -> Endpoint {
        Endpoint(
            url: URL.text(of: target).text,
            sampleResponseClosure: sample(of: target),
            method: target.method,
            task: target.task,
            httpHeaderFields: target.headers)
    }

    final class func sample(of target: Target) -> Endpoint.SampleResponseClosure {
        { .networkResponse(200, target.sampleData) }
    }

    /// The input of a call: the endpoint of ``endpoint(_:)``, or a plain request if no code could see the endpoint.
    final func input(of target: Target) -> CallInput {
        guard skipsEndpoints else { return .endpoint(endpoint(target)) }
        let (url, isPlain) = URL.text(of: target)
        let (method, task, headers) = (target.method, target.task, target.headers)
        if isPlain, case .requestPlain = task, !hasLowercaseLetters(method), headers?.hasNamesDifferingInCase != true {
            let fields = (headers ?? [:]).map { HTTPField(name: $0.key, value: $0.value) }
            return .plain(HTTPRequest(method: method.rawValue, url: url, fields: fields))
        }
        return .endpoint(
            Endpoint(
                url: url, sampleResponseClosure: Self.sample(of: target), method: method, task: task,
                httpHeaderFields: headers))
    }

    /// `URLRequest` changes the case of some methods.
    private func hasLowercaseLetters(_ method: Method) -> Bool {
        method.rawValue.utf8.contains { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
    }

    /// Passes on the endpoint's request, or its error, before it returns.
    @Sendable public final class func defaultRequestMapping(for endpoint: Endpoint, closure: RequestResultClosure) {
        do {
            closure(.success(try endpoint.urlRequest()))
        } catch {
            closure(.failure((error as? MoyaError) ?? .underlying(error, nil)))
        }
    }

    /// Makes a session with default header fields, whose requests start only when resumed.
    public final class func defaultAlamofireSession() -> Session {
        let configuration = URLSessionConfiguration.default
        configuration.headers = .default
        return Session(configuration: configuration, startRequestsImmediately: false)
    }
}

/// The endpoint of a call, or the plain request that replaces it.
enum CallInput {
    case endpoint(Endpoint)
    /// A request that needs no endpoint.
    case plain(HTTPRequest)

    var isPlain: Bool { if case .plain = self { true } else { false } }

    /// The URL as text.
    var url: String {
        switch self {
        case .endpoint(let endpoint): endpoint.url
        case .plain(let plain): plain.url
        }
    }
}
