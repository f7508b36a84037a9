import Moya

/// The answer of httpbin to `/anything` and its like: the request as it arrived.
struct Echo: Decodable {
    let method: String?
    let url: String
    let args: [String: OneOrMany]
    let headers: [String: String]
    let json: Greeting?
    let data: String
    let form: [String: OneOrMany]
    let files: [String: OneOrMany]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        method = try container.decodeIfPresent(String.self, forKey: .method)
        url = try container.decode(String.self, forKey: .url)
        args = try container.decode([String: OneOrMany].self, forKey: .args)
        headers = try container.decode([String: String].self, forKey: .headers)
        json = try container.decodeIfPresent(Greeting.self, forKey: .json)
        // Missing for a request that cannot have a body.
        data = try container.decodeIfPresent(String.self, forKey: .data) ?? ""
        form = try container.decodeIfPresent([String: OneOrMany].self, forKey: .form) ?? [:]
        files = try container.decodeIfPresent([String: OneOrMany].self, forKey: .files) ?? [:]
    }

    private enum CodingKeys: CodingKey {
        case method, url, args, headers, json, data, form, files
    }
}

/// The JSON body that the tests send.
struct Greeting: Codable, Equatable, Sendable {
    var text: String
    var times: Int
}

/// httpbin gives a string for a name that occurs once and a list for one that occurs again.
enum OneOrMany: Decodable, Equatable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    case one(String)
    case many([String])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self = .one(text)
        } else {
            self = .many(try container.decode([String].self))
        }
    }

    init(stringLiteral value: String) { self = .one(value) }
    init(arrayLiteral elements: String...) { self = .many(elements) }
}
