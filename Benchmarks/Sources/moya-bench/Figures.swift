import Foundation

/// The figures of a subcommand, as one line of JSON on the standard output.
enum Figures {
    static func print(_ figures: [(name: String, value: Double)]) {
        let members = figures.map { "\"\($0.name)\": \($0.value)" }
        Swift.print("{\(members.joined(separator: ", "))}")
        // `nil` flushes every stream, since Swift 6 does not allow access to the variable `stdout`.
        fflush(nil)
    }
}
