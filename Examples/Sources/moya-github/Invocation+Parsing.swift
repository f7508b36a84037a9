import Foundation

extension Invocation {
    /// Parses the arguments, without the program's own name.
    init(arguments: [String]) throws(Failure) {
        var options = Options()
        var words: [String] = []
        var page: Int?
        var isFollowed = false
        var fields: [String: String] = [:]
        var rest = arguments[...]

        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h":
                self = .help
                return
            case "--stub": options.isStubbed = true
            case "--verbose": options.isVerbose = true
            case "--json": options.printsJSON = true
            case "--follow": isFollowed = true
            case "--base-url": options.baseURL = try Self.server(try Self.value(of: argument, from: &rest))
            case "--page": page = try Self.page(try Self.value(of: argument, from: &rest))
            case "--field":
                let (name, value) = try Self.field(try Self.value(of: argument, from: &rest))
                fields[name] = value
            case _ where argument.hasPrefix("-"):
                throw .usage("unknown option \(argument)")
            default:
                words.append(argument)
            }
        }

        let command = try Self.command(words, page: page ?? 1, fields: fields, isFollowed: isFollowed)
        if page != nil, words.first != "repos" { throw .usage("--page goes with repos only") }
        if isFollowed, words.first != "events" { throw .usage("--follow goes with events only") }
        if !fields.isEmpty, words.first != "multipart" { throw .usage("--field goes with multipart only") }
        self = .run(command, options)
    }

    private static func command(
        _ words: [String], page: Int, fields: [String: String], isFollowed: Bool
    ) throws(Failure) -> Command {
        let name = words.first ?? ""
        switch (name, words.dropFirst().count) {
        case ("zen", 0): return .zen
        case ("user", 1): return .user(name: words[1])
        case ("repos", 1): return .repositories(user: words[1], page: page)
        case ("events", 1): return .events(user: words[1], isFollowed: isFollowed)
        case ("upload", 1...2): return .upload(file: file(words[1]), path: words.count > 2 ? words[2] : "/post")
        case ("multipart", 1...2):
            return .multipart(file: file(words[1]), fields: fields, path: words.count > 2 ? words[2] : "/post")
        case ("download", 2):
            guard let source = URLComponents(string: words[1]) else {
                throw .usage("\(words[1]) is not a path")
            }
            let query = (source.queryItems ?? []).map { ($0.name, $0.value ?? "") }
            return .download(
                path: source.path, query: Dictionary(query) { _, last in last }, destination: file(words[2]))
        case ("", _): throw .usage("no command")
        case ("zen", _), ("user", _), ("repos", _), ("events", _), ("upload", _), ("multipart", _), ("download", _):
            throw .usage("\(name): wrong number of arguments")
        default: throw .usage("unknown command \(name)")
        }
    }

    private static func value(of option: String, from rest: inout ArraySlice<String>) throws(Failure) -> String {
        guard let value = rest.popFirst() else { throw .usage("\(option) needs a value") }
        return value
    }

    private static func server(_ text: String) throws(Failure) -> URL {
        guard let url = URL(string: text), let scheme = url.scheme, ["http", "https"].contains(scheme),
            url.host != nil
        else { throw .usage("--base-url: \(text) is not an http or https URL") }
        return url
    }

    private static func page(_ text: String) throws(Failure) -> Int {
        guard let page = Int(text), page > 0 else { throw .usage("--page: \(text) is not a number above 0") }
        return page
    }

    private static func field(_ text: String) throws(Failure) -> (name: String, value: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { throw .usage("--field: \(text) is not NAME=VALUE") }
        return (String(parts[0]), String(parts[1]))
    }

    private static func file(_ path: String) -> URL { URL(fileURLWithPath: path) }
}
