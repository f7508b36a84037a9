import Foundation
import Moya

/// A target whose parts are used unchanged.
struct OrderedTarget: TargetType, AccessTokenAuthorizable {
    var baseURL: URL
    var path = ""
    var method: Moya.Method = .get
    var task: RequestTask = .requestPlain
    var headers: [String: String]?
    var authorizationType: AuthorizationType?
    var validationType: ValidationType = .none
    var sampleData = Data()
}

extension CallOrder {
    /// Makes the call through a target, with a token if there is one.
    func targetOutcome(in session: Session) async -> String {
        guard let base = URL(string: url) else { return "no URL" }
        var target = OrderedTarget(baseURL: base, path: path ?? "")
        target.method = Moya.Method(rawValue: method ?? "GET")
        target.headers = headers.map { Dictionary($0.map { ($0[0], $0[1]) }, uniquingKeysWith: { $1 }) }
        if let parameters { target.task = .requestParameters(parameters: parameters, encoding: URLEncoding.default) }
        if let parts {
            target.task = .uploadMultipart(
                parts.map {
                    MultipartFormData(
                        provider: .data(Data(($0.data ?? "").utf8)), name: $0.name, fileName: $0.fileName,
                        mimeType: $0.type)
                })
        }
        target.authorizationType = token == nil ? nil : .bearer
        let token = token ?? ""
        let provider = MoyaProvider<OrderedTarget>(
            session: session, plugins: [AccessTokenPlugin { _ in token }])
        return await told { () async throws(MoyaError) in try await provider.request(target) }
    }

    /// Makes the call with tokens that have to be refreshed first at ``path``, and are sent in the field ``token``.
    func tokensOutcome(in session: Session) async -> String {
        guard let base = URL(string: url), let endpoint = URL(string: path ?? url) else { return "no URL" }
        let tokens = InMemoryTokenStore(
            OAuthTokens(accessToken: "old-token", refreshToken: "refresh-token", expiry: Date(timeIntervalSince1970: 0))
        )
        let location = token.map { TokenLocation.field($0) } ?? .bearer
        let refresh =
            if options?.contains("closure") == true {
                SessionRefresh(tokens: tokens, location: location) { refreshToken in
                    try await session.request(endpoint, method: .post, parameters: ["refresh_token": refreshToken])
                        .validate().resume().serializingDecodable(OAuthTokens.self).value
                }
            } else {
                SessionRefresh(
                    tokens: tokens, tokenURL: endpoint, clientID: "app",
                    provider: MoyaProvider<RefreshGrant>(session: session), location: location)
            }
        let provider = MoyaProvider<OrderedTarget>(session: session, middleware: [refresh])
        return await told { () async throws(MoyaError) in
            try await provider.request(OrderedTarget(baseURL: base, authorizationType: .bearer))
        }
    }

    private func told(_ call: () async throws(MoyaError) -> Moya.Response) async -> String {
        do throws(MoyaError) {
            let response = try await call()
            let text = String(decoding: response.data, as: UTF8.self)
            return "\(response.statusCode) \(text.utf8.count > 48 ? "\(text.utf8.count) bytes" : text.debugDescription)"
        } catch {
            return AttackCommand.words(error) + named(error.localizedDescription)
        }
    }
}
