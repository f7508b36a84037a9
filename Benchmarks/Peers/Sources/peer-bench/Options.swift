/// The options after the subcommand: a URL, then names with values.
struct Options: Sendable {
    var url = ""
    var client = ""
    var inFlight = 1
    var connections = 1
    var seconds = 1.0
    var mayUseHTTP2 = false
    var authorities: String?
    var fields: [(name: String, value: String)] = []

    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var rest = Array(arguments)
        func value(of name: String) throws(UsageError) -> String {
            guard !rest.isEmpty else { throw UsageError("\(name): a value is missing") }
            return rest.removeFirst()
        }
        func number<N: LosslessStringConvertible>(of name: String) throws(UsageError) -> N {
            let text = try value(of: name)
            guard let number = N(text) else { throw UsageError("\(name): \(text) is no number") }
            return number
        }
        url = try value(of: "load")
        while !rest.isEmpty {
            let name = rest.removeFirst()
            switch name {
            case "--client": client = try value(of: name)
            case "--in-flight": inFlight = try number(of: name)
            case "--connections": connections = try number(of: name)
            case "--seconds": seconds = try number(of: name)
            case "--http2": mayUseHTTP2 = true
            case "--ca": authorities = try value(of: name)
            case "--field":
                let field = try value(of: name)
                let parts = field.split(separator: ": ", maxSplits: 1)
                guard parts.count == 2 else { throw UsageError("--field: \(field) has no value") }
                fields.append((String(parts[0]), String(parts[1])))
            default: throw UsageError("\(name): unknown option")
            }
        }
    }
}

/// A mistake on the command line.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ text: String) { description = text }
}
