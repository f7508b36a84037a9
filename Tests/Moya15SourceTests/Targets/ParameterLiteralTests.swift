#if TaskAlias
import Foundation
import Moya
import Testing

/// Dictionary literals and values as apps hand them to tasks.
@Suite struct ParameterLiteralTests {
    private func query(_ task: Task) throws -> String? {
        let endpoint = Endpoint(
            url: "https://example.com/a", sampleResponseClosure: { .networkResponse(200, Data()) }, method: .get,
            task: task, httpHeaderFields: nil)
        return try endpoint.urlRequest().url?.query
    }

    private func body(_ task: Task) throws -> String {
        let endpoint = Endpoint(
            url: "https://example.com/a", sampleResponseClosure: { .networkResponse(200, Data()) }, method: .post,
            task: task, httpHeaderFields: nil)
        return try String(data: endpoint.urlRequest().httpBody ?? Data(), encoding: .utf8) ?? ""
    }

    @Test func literalMayHaveMixedTypes() throws {
        let id = Int64(7)
        let task = Task.requestParameters(
            parameters: ["id": id, "name": "a", "on": true, "ratio": 0.5], encoding: URLEncoding.default)
        #expect(try query(task) == "id=7&name=a&on=1&ratio=0.5")
    }

    @Test func literalMayContainAnOptional() throws {
        let name: String? = "a"
        let task = Task.requestParameters(parameters: ["name": name as Any], encoding: URLEncoding.default)
        #expect(try query(task) == "name=a")
    }

    @Test func literalMayContainANestedDictionaryOfAny() throws {
        let filter: [String: Any] = ["age": 3]
        let task = Task.requestParameters(
            parameters: ["filter": filter, "ids": [1, 2]], encoding: URLEncoding(arrayEncoding: .noBrackets))
        #expect(try query(task) == "filter%5Bage%5D=3&ids=1&ids=2")
    }

    @Test func literalMayContainAClassOfTheApp() throws {
        class Sort: CustomStringConvertible {
            let description = "newest"
        }
        let task = Task.requestParameters(parameters: ["sort": Sort()], encoding: URLEncoding.default)
        #expect(try query(task) == "sort=newest")
    }

    @Test func dictionaryOfStringsIsAccepted() throws {
        let strings: [String: String] = ["a": "b"]
        #expect(try query(.requestParameters(parameters: strings, encoding: URLEncoding.queryString)) == "a=b")
    }

    @Test func compactedAndMergedDictionaryIsAccepted() throws {
        let optional: [String: Any?] = ["a": 1, "b": nil]
        let parameters = optional.compactMapValues { $0 }.merging(["c": "d"]) { _, new in new }
        #expect(try query(.requestParameters(parameters: parameters, encoding: URLEncoding.queryString)) == "a=1&c=d")
    }

    @Test func dictionaryOfJSONSerializationIsAccepted() throws {
        let parsed = try JSONSerialization.jsonObject(with: Data("{\"a\": {\"b\": 1}}".utf8)) as! [String: Any]
        #expect(try body(.requestParameters(parameters: parsed, encoding: JSONEncoding.default)) == "{\"a\":{\"b\":1}}")
    }

    @Test func nullAndNumbersOfFoundationAreAccepted() throws {
        let parameters: [String: Any] = ["a": NSNull(), "b": NSNumber(value: 2.5)]
        let text = try body(.requestParameters(parameters: parameters, encoding: JSONEncoding.default))
        #expect(text.contains("\"a\":null"))
        #expect(text.contains("\"b\":2.5"))
    }

    @Test func encodablesOfEveryKindAreAccepted() throws {
        func task<T: Encodable>(_ value: T) -> Task { .requestJSONEncodable(value) }
        struct AnyEncodable: Encodable {
            private let encodeClosure: (Encoder) throws -> Void
            init<T: Encodable>(_ value: T) { encodeClosure = value.encode }
            func encode(to encoder: Encoder) throws { try encodeClosure(encoder) }
        }
        #expect(try body(task([1, 2])) == "[1,2]")
        #expect(try body(.requestJSONEncodable(["a": "b"])) == "{\"a\":\"b\"}")
        #expect(try body(.requestJSONEncodable(AnyEncodable([Draft(title: "t")]))).contains("\"title\":\"t\""))
    }

    @Test func taskIsExtendedByTheApp() {
        #expect(Task.requestParameters(parameters: ["a": 1], encoding: URLEncoding.default).parameters?.count == 1)
        #expect(Moya.Task.requestPlain.parameters == nil)
    }
}

extension Task {
    var parameters: [String: Any]? {
        switch self {
        case .requestParameters(let parameters, _), .downloadParameters(let parameters, _, _): return parameters
        case .requestCompositeData(_, let urlParameters): return urlParameters
        default: return nil
        }
    }
}
#endif
