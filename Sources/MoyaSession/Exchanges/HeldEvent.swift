import Foundation
import MoyaTransport

/// An event that is kept until it can be delivered.
enum HeldEvent {
    case informational(TransportResponseHead)
    case head(TransportResponseHead)
    case chunk(Data)
    case sent(bytes: Int64, expected: Int64?)
    case end(TransportEnd)

    /// Keeps an event, with a copy of its bytes.
    init(_ event: TransportEvent) {
        switch event {
        case .informational(let head): self = .informational(head)
        case .head(let head): self = .head(head)
        case .chunk(let bytes): self = .chunk(Data(bytes))
        case .sent(let bytes, let expected): self = .sent(bytes: bytes, expected: expected)
        case .end(let end): self = .end(end)
        }
    }

    /// Passes the event to a closure.
    func use<Result>(_ body: (TransportEvent) -> Result) -> Result {
        switch self {
        case .informational(let head): body(.informational(head))
        case .head(let head): body(.head(head))
        case .chunk(let data): data.withUnsafeBytes { body(.chunk($0)) }
        case .sent(let bytes, let expected): body(.sent(bytes: bytes, expected: expected))
        case .end(let end): body(.end(end))
        }
    }
}

extension TransportEvent {
    var isEnd: Bool { if case .end = self { true } else { false } }

    /// `true` for an end with a failure.
    var isFailure: Bool { if case .end(let end) = self { end.failure != nil } else { false } }
}
