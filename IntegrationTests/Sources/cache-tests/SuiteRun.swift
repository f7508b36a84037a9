import Foundation
import Moya
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One running test: its requests in order, and the server's final report of them.
struct SuiteRun {
    private struct Wrong: Error {
        let result: SuiteResult
    }

    /// The cache and the session of all tests, whose URLs differ.
    private static let session: Session = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.timeoutIntervalForRequest = 10
        return Session(
            configuration: configuration, startRequestsImmediately: true, redirectHandler: Redirector.doNotFollow,
            cache: .memory())
    }()

    /// The session for requests that are not tests.
    private static let plain = Session(configuration: .ephemeral)

    private let test: SuiteTest
    private let base: String
    private let token = UUID().uuidString.lowercased()

    init(_ test: SuiteTest, base: String) {
        self.test = test
        self.base = base
    }

    func result() async -> SuiteResult {
        do {
            try await configure()
            var responses: [HTTPURLResponse] = []
            for (index, request) in test.requests.enumerated() {
                let response = try await send(request, index, after: responses.last)
                responses.append(response)
                if request["pause_after"].isTrue { try await _Concurrency.Task.sleep(for: .seconds(3)) }
            }
            try check(responses, against: await serverState())
            return .passed
        } catch let wrong as Wrong {
            return wrong.result
        } catch {
            return .failed("\(error)")
        }
    }

    // MARK: The server

    private func configure() async throws {
        var request = URLRequest(url: URL(string: "\(base)/config/\(token)")!)
        request.httpMethod = "PUT"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONEncoder().encode(test.requests)
        let response = await Self.plain.request(request).serializingData().response
        guard response.response?.statusCode == 201 else {
            throw Wrong(result: .refused("the server did not take the test: \(String(describing: response.error))"))
        }
    }

    private func serverState() async throws -> [JSONValue] {
        let request = URLRequest(url: URL(string: "\(base)/state/\(token)")!)
        let response = await Self.plain.request(request).serializingData().response
        guard response.response?.statusCode == 200, let data = response.data else { return [] }
        return try JSONDecoder().decode([JSONValue].self, from: data)
    }

    // MARK: Requests

    private func send(
        _ definition: JSONValue, _ index: Int, after previous: HTTPURLResponse?
    ) async throws -> HTTPURLResponse {
        var url = "\(base)/test/\(token)"
        if let name = definition["filename"].text { url += "/\(name)" }
        if let query = definition["query_arg"].text { url += "?\(query)" }
        var request = URLRequest(url: URL(string: url)!)
        request.httpMethod = definition["request_method"].text ?? "GET"
        for field in definition["request_headers"].array {
            guard let name = field.array.first?.text, var value = field.array.last?.text else { continue }
            if definition["magic_ims"].isTrue, name.lowercased() == "if-modified-since", let delta = Double(value) {
                let now = previous?.value(forHTTPHeaderField: "Server-Now").flatMap(Double.init) ?? 0
                value = Self.date(now / 1000 + delta)
            }
            request.addValue(value, forHTTPHeaderField: name)
        }
        request.addValue(test.id, forHTTPHeaderField: "Test-ID")
        request.addValue(String(index + 1), forHTTPHeaderField: "Req-Num")
        if let body = definition["request_body"].text { request.httpBody = Data(body.utf8) }
        let answer = await Self.session.request(request).serializingData(
            emptyResponseCodes: Set(100...999),
            emptyRequestMethods: Set(["HEAD", "GET", "POST", "PUT", "DELETE"].map(HTTPMethod.init))
        ).response
        guard let response = answer.response else {
            throw Wrong(result: .failed("request \(index + 1) failed: \(String(describing: answer.error))"))
        }
        try check(definition, index, response, answer.data ?? Data())
        return response
    }

    private static func date(_ seconds: Double) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: Date(timeIntervalSince1970: seconds.rounded(.down)))
    }

    // MARK: Checks

    private func require(_ isTrue: Bool, _ message: @autoclosure () -> String, isSetup: Bool) throws {
        if !isTrue { throw Wrong(result: isSetup ? .setup(message()) : .failed(message())) }
    }

    private func isSetup(_ definition: JSONValue, _ member: String) -> Bool {
        definition["setup"].isTrue || definition["setup_tests"].array.contains { $0.text == member }
    }

    private func check(_ definition: JSONValue, _ index: Int, _ response: HTTPURLResponse, _ body: Data) throws {
        let number = index + 1
        let served = response.value(forHTTPHeaderField: "Server-Request-Count").flatMap { Int($0) }
        let isTypeSetup = isSetup(definition, "expected_type")
        switch definition["expected_type"].text {
        case "cached" where response.statusCode != 304 || served != nil:
            try require((served ?? .max) < number, "response \(number) is not stored", isSetup: isTypeSetup)
        case "not_cached":
            try require(served == number, "response \(number) is a stored one", isSetup: isTypeSetup)
        default: break
        }
        try checkStatus(definition, number, response)
        try checkFields(definition, number, response)
        try checkBody(definition, number, response, String(decoding: body, as: UTF8.self))
    }

    private func checkStatus(_ definition: JSONValue, _ number: Int, _ response: HTTPURLResponse) throws {
        let status = response.statusCode
        if definition.has("expected_status") {
            guard let expected = definition["expected_status"].int else { return }
            try require(
                status == expected, "status \(number) is \(status), not \(expected)",
                isSetup: isSetup(definition, "expected_status"))
        } else if let expected = definition["response_status"].array.first?.int {
            try require(status == expected, "status \(number) is \(status), not \(expected)", isSetup: true)
        } else if status == 999 {
            try require(false, "request \(number) has no condition", isSetup: isSetup(definition, "expected_type"))
        } else {
            try require(status == 200, "status \(number) is \(status)", isSetup: true)
        }
    }

    private func checkFields(_ definition: JSONValue, _ number: Int, _ response: HTTPURLResponse) throws {
        let isSetup = isSetup(definition, "expected_response_headers")
        for field in definition["expected_response_headers"].array {
            let parts = field.array
            let name = parts.first?.text ?? field.text ?? ""
            let value = response.value(forHTTPHeaderField: name)
            try require(value != nil || parts.count == 2, "response \(number) lacks \(name)", isSetup: isSetup)
            if parts.count == 3, parts[1].text == "=" {
                let other = response.value(forHTTPHeaderField: parts[2].text ?? "")
                try require(value == other, "\(name) of response \(number) is \(value ?? "")", isSetup: isSetup)
            } else if parts.count == 3 {
                let bound = parts[2].int ?? 0
                let isMore = value.flatMap { Int($0) }.map { $0 > bound } ?? false
                try require(
                    isMore, "\(name) of response \(number) is \(value ?? ""), not over \(bound)", isSetup: isSetup)
            } else if parts.count == 2 {
                var expected = parts[1].text
                if case .number(let delta) = parts[1], ["date", "expires", "last-modified"].contains(name.lowercased())
                {
                    let now = response.value(forHTTPHeaderField: "Server-Now").flatMap(Double.init) ?? 0
                    expected = Self.date(now / 1000 + delta)
                }
                try require(
                    value == expected, "\(name) of response \(number) is \(value ?? "nil"), not \(expected ?? "nil")",
                    isSetup: isSetup)
            }
        }
        let isMissingSetup = self.isSetup(definition, "expected_response_headers_missing")
        for field in definition["expected_response_headers_missing"].array where field.text != nil {
            let name = field.text ?? ""
            let value = response.value(forHTTPHeaderField: name)
            try require(value == nil, "response \(number) has \(name): \(value ?? "")", isSetup: isMissingSetup)
        }
    }

    private func checkBody(
        _ definition: JSONValue, _ number: Int, _ response: HTTPURLResponse, _ body: String
    ) throws {
        if case .bool(false) = definition["check_body"] { return }
        if definition.has("expected_response_text") {
            guard let expected = definition["expected_response_text"].text else { return }
            try require(
                body == expected, "body \(number) is \(body), not \(expected)",
                isSetup: isSetup(definition, "expected_response_text"))
        } else if let expected = definition["response_body"].text {
            try require(body == expected, "body \(number) is \(body), not \(expected)", isSetup: true)
        } else if ![204, 304].contains(response.statusCode), definition["request_method"].text != "HEAD" {
            try require(body == token, "body \(number) is \(body)", isSetup: true)
        }
    }

    /// Compares the requests that the server received with the expected ones.
    private func check(_ responses: [HTTPURLResponse], against seen: [JSONValue]) throws {
        var next = 0
        for (index, definition) in test.requests.enumerated() {
            let number = index + 1
            let isTypeSetup = isSetup(definition, "expected_type")
            let type = definition["expected_type"].text
            if type == "cached" { continue }
            let request = next < seen.count ? seen[next] : .null
            next += 1
            if type == "not_cached" {
                try require(
                    request["request_num"].int == number, "request \(number) was not sent", isSetup: isTypeSetup)
            }
            let fields = request["request_headers"]
            for (kind, name) in [("etag_validated", "if-none-match"), ("lm_validated", "if-modified-since")]
            where type == kind {
                try require(fields.has(name), "request \(number) lacks \(name)", isSetup: isTypeSetup)
            }
            for field in definition["expected_request_headers"].array {
                let name = (field.array.first?.text ?? field.text ?? "").lowercased()
                let isRight = field.array.count == 2 ? fields[name].text == field.array[1].text : fields.has(name)
                try require(
                    isRight, "\(name) of request \(number) is \(fields[name].text ?? "nil")",
                    isSetup: isSetup(definition, "expected_request_headers"))
            }
            for field in definition["expected_request_headers_missing"].array {
                let name = (field.array.first?.text ?? field.text ?? "").lowercased()
                let isRight = field.array.count == 2 ? fields[name].text != field.array[1].text : !fields.has(name)
                try require(
                    isRight, "request \(number) has \(name)",
                    isSetup: isSetup(definition, "expected_request_headers_missing"))
            }
            for pair in request["response_headers"].array.map(\.array) where pair.count == 2 {
                guard let name = pair[0].text, !["date", "set-cookie", "set-cookie2"].contains(name.lowercased()) else {
                    continue
                }
                let sent = pair[1].text ?? pair[1].array.compactMap(\.text).joined(separator: ", ")
                let received = responses[index].value(forHTTPHeaderField: name)
                try require(
                    received == sent, "\(name) of response \(number) is \(received ?? "nil"), not \(sent)",
                    isSetup: true)
            }
            if let method = definition["expected_method"].text {
                try require(
                    request["request_method"].text == method, "request \(number) is no \(method)",
                    isSetup: isSetup(definition, "expected_method"))
            }
        }
    }
}
