import Foundation
import MoyaSession
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Logs requests and responses, with secrets masked.
public final class NetworkLoggerPlugin: Sendable {
    private let lockedConfiguration: Lock<Configuration>

    /// The content, the format and the destination of the entries; can be changed at any time.
    public var configuration: Configuration {
        get { lockedConfiguration.withLock { $0 } }
        set {
            var other = newValue
            // The old one is released outside the lock, because values owned by its closures may read this property.
            lockedConfiguration.withLock { swap(&$0, &other) }
        }
    }

    /// The configuration; `nil` while the logger is off.
    private var enabledConfiguration: Configuration? { lockedConfiguration.withLock { $0.isEnabled ? $0 : nil } }

    /// Makes a plugin.
    public init(configuration: Configuration = Configuration()) {
        lockedConfiguration = Lock(configuration)
    }

    /// A logger of methods and header fields.
    public class var `default`: NetworkLoggerPlugin {
        NetworkLoggerPlugin(configuration: Configuration(logOptions: .default))
    }

    /// A logger of everything.
    public class var verbose: NetworkLoggerPlugin {
        NetworkLoggerPlugin(configuration: Configuration(logOptions: .verbose))
    }
}

extension NetworkLoggerPlugin: PluginType {
    /// Logs the request.
    public func willSend(_ request: any RequestType, target: any TargetType) {
        guard let configuration = enabledConfiguration else { return }
        guard configuration.logOptions.contains(.formatRequestAscURL) else {
            return configuration.output(target, entries(of: request, target, configuration))
        }
        let log: @Sendable (String) -> Void = { text in
            configuration.output(target, [configuration.formatter.entry("Request", text, target)])
        }
        guard let request = request as? any MaskableRequest else {
            request.cURLDescription {
                log(CURLDescription.masked($0, with: SecretMask(isSecret: configuration.isSecret)))
            }
            return
        }
        // The command of a session's request never shows the secrets of the standard mask.
        let mask = SecretMask { SecretNames.contains($0) || configuration.isSecret($0) }
        request.cURLDescription(mask: mask, calling: log)
    }

    /// Logs the response or the error.
    public func didReceive(_ result: Result<Response, MoyaError>, target: any TargetType) {
        guard let configuration = enabledConfiguration else { return }
        switch result {
        case .success(let response):
            configuration.output(target, entries(of: response, target, isError: false, configuration))
        case .failure(let error):
            if let response = error.response {
                configuration.output(target, entries(of: response, target, isError: true, configuration))
            } else {
                let text = SecretMask(isSecret: configuration.isSecret).text("\(error)")
                let message = "Error calling \(target.printedName) : \(text)"
                configuration.output(target, [configuration.formatter.entry("Error", message, target)])
            }
        }
    }

    private func entries(
        of request: any RequestType, _ target: any TargetType, _ configuration: Configuration
    ) -> [String] {
        let (formatter, options) = (configuration.formatter, configuration.logOptions)
        guard let urlRequest = request.request else {
            return [formatter.entry("Request", "(invalid request)", target)]
        }
        let mask = SecretMask(isSecret: configuration.isSecret)
            .adding(fields: (request as? any MaskableRequest)?.declaredCredentials ?? [])
        var entries = [formatter.entry("Request", mask.url(urlRequest.url?.absoluteString ?? ""), target)]
        if options.contains(.requestHeaders) {
            var fields = HTTPHeaders(request.sessionHeaders)
            for (name, value) in urlRequest.allHTTPHeaderFields ?? [:] { fields.update(name: name, value: value) }
            entries.append(formatter.entry("Request Headers", LogText.fields(fields.dictionary, mask), target))
        }
        if options.contains(.requestBody) {
            if let stream = urlRequest.httpBodyStream {
                entries.append(formatter.entry("Request Body Stream", stream.description, target))
            }
            if let body = urlRequest.httpBody {
                entries.append(formatter.entry("Request Body", formatter.requestData(mask.body(body)), target))
            }
        }
        if options.contains(.requestMethod), let method = urlRequest.httpMethod {
            entries.append(formatter.entry("HTTP Request Method", method, target))
        }
        return entries
    }

    private func entries(
        of response: Response, _ target: any TargetType, isError: Bool, _ configuration: Configuration
    ) -> [String] {
        let (formatter, options) = (configuration.formatter, configuration.logOptions)
        let mask = SecretMask(isSecret: configuration.isSecret).adding(fields: response.declaredCredentials)
        var entries: [String] = []
        if let httpResponse = response.response {
            entries.append(formatter.entry("Response", LogText.response(httpResponse, mask), target))
        } else {
            entries.append(
                formatter.entry("Response", "Received empty network response for \(target.printedName).", target))
        }
        if options.contains(.successResponseBody) || isError && options.contains(.errorResponseBody) {
            entries.append(formatter.entry("Response Body", formatter.responseData(mask.body(response.data)), target))
        }
        return entries
    }
}
