// The code is written as in an app.
// swift-format-ignore-file
import Foundation
import Moya
import MoyaSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A model that is not declared as sendable.
class Search: Encodable {
    var term = "swift"
    var pages = [1, 2]
}

/// An app's own encoder, with the constraint that was the only one for years.
struct PropertyListParameterEncoder: ParameterEncoder {
    func encode<Parameters>(_ parameters: Parameters?, into request: URLRequest) throws -> URLRequest where Parameters: Encodable {
        guard let parameters = parameters else { return request }
        var request = request
        request.httpBody = try PropertyListEncoder().encode(parameters)
        return request
    }
}

class VersionedEncoder: URLEncodedFormParameterEncoder {
    override func encode<Parameters: Encodable & Sendable>(_ parameters: Parameters?, into request: URLRequest) throws -> URLRequest {
        var request = try super.encode(parameters, into: request)
        request.setValue("2", forHTTPHeaderField: "X-Version")
        return request
    }
}

@Suite struct ParameterEncoderSourceTests {
    private var request: URLRequest { URLRequest(url: URL(string: "https://example.com/")!) }

    @Test func classesAreEncoded() throws {
        let encoder = URLEncodedFormParameterEncoder(encoder: URLEncodedFormEncoder(arrayEncoding: .noBrackets))
        #expect(try encoder.encode(Search(), into: request).url?.query == "pages=1&pages=2&term=swift")
    }

    @Test func encodersOfAnAppAreEncoders() throws {
        let encoder: ParameterEncoder = PropertyListParameterEncoder()
        #expect(try encoder.encode(Search(), into: request).httpBody?.isEmpty == false)
    }

    @Test func encodersCanBeSubclassed() throws {
        let encoded = try VersionedEncoder().encode(Search(), into: request)
        #expect(encoded.value(forHTTPHeaderField: "X-Version") == "2")
    }

    @Test func closuresMayCaptureAnyValue() throws {
        var keys: [String] = []
        let formatter = DateFormatter()
        formatter.dateFormat = "yyyy"
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        let encoder = URLEncodedFormEncoder(
            arrayEncoding: .custom { key, index in "\(key)\(index)" },
            dataEncoding: .custom { data in "\(data.count)" },
            dateEncoding: .formatted(formatter),
            keyEncoding: .custom { key in keys.append(key); return key },
            keyPathEncoding: .init { "/" + $0 },
            nilEncoding: .init { "none" })
        struct Model: Encodable { var a: [Int] = [7], b = Data("xy".utf8), c = Date(timeIntervalSince1970: 0), d: Int? }
        let text: String = try encoder.encode(Model())
        #expect(text == "a0=7&b=2&c=1970&d=none")
        #expect(keys.sorted() == ["a0", "b", "c", "d"])
    }

    @Test func jsonIsEncodedToo() throws {
        let encoded = try JSONParameterEncoder.sortedKeys.encode(Search(), into: request)
        #expect(encoded.httpBody == Data(#"{"pages":[1,2],"term":"swift"}"#.utf8))
    }
}
