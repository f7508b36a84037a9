public import Foundation
public import MoyaTransport

extension ScriptedTransport {
    /// A step of an answer.
    public enum Step: Sendable {
        /// An interim response, such as 103.
        case informational(Int, LoopbackFields = [:])
        /// The status and the header fields.
        case head(Int = 200, LoopbackFields = [:])
        /// Body bytes that arrive in one piece; empty data is not delivered.
        case chunk(Data)
        /// Trailer fields, delivered with the end of the response.
        case trailers(LoopbackFields)
        /// A delay on the transport's clock, at most a century.
        case delay(Duration)
        /// A wait until the gate is open.
        case wait(at: Gate)
        /// A failure, which ends the exchange.
        case failure(TransportFailure)
        /// Silence until the exchange is cancelled.
        case silence

        /// Body bytes that arrive in one piece, as UTF-8.
        public static func chunk(_ text: String) -> Step { .chunk(Data(text.utf8)) }
    }

    /// The course of one exchange: its steps in order, and its end.
    public struct Answer: Sendable {
        var steps: [Step]
        var metrics: TransportMetrics?
        var readsBody = true
        private var make: (@Sendable (HTTPRequest) -> Answer)?

        /// Makes an answer of steps; the response is complete after the last one, unless that is a failure or silence.
        public static func steps(_ steps: Step...) -> Answer { Answer(steps: steps) }

        /// Makes an answer of steps; the response is complete after the last one, unless that is a failure or silence.
        public static func steps(_ steps: [Step]) -> Answer { Answer(steps: steps) }

        /// A complete response with a text as its body.
        public static func response(
            _ status: Int = 200, _ fields: LoopbackFields = [:], body: String = ""
        ) -> Answer {
            response(status, fields, body: Data(body.utf8))
        }

        /// A complete response.
        public static func response(_ status: Int = 200, _ fields: LoopbackFields = [:], body: Data) -> Answer {
            Answer(steps: [.head(status, fields), .chunk(body)])
        }

        /// A failure without any response.
        public static func failure(_ kind: TransportFailure.Kind, message: String = "as the test says") -> Answer {
            failure(TransportFailure(kind, message: message))
        }

        /// A failure without any response.
        public static func failure(_ failure: TransportFailure) -> Answer { Answer(steps: [.failure(failure)]) }

        /// Silence until the exchange is cancelled.
        public static var silence: Answer { Answer(steps: [.silence]) }

        /// Answers each request with the result of a closure.
        public static func making(_ make: @escaping @Sendable (HTTPRequest) -> Answer) -> Answer {
            Answer(steps: [], make: make)
        }

        /// The same answer after a delay on the transport's clock.
        public func delayed(by duration: Duration) -> Answer {
            changed { $0.steps.insert(.delay(duration), at: 0) }
        }

        /// The same answer, once a gate is open.
        public func held(at gate: Gate) -> Answer {
            changed { $0.steps.insert(.wait(at: gate), at: 0) }
        }

        /// The same answer, with the body in pieces of a given size, the last one possibly shorter; in one piece if the
        /// size is less than 1.
        public func chunked(by size: Int) -> Answer {
            changed { answer in
                answer.steps = answer.steps.flatMap { step -> [Step] in
                    guard case .chunk(let bytes) = step, size > 0 else { return [step] }
                    return stride(from: 0, to: bytes.count, by: size).map {
                        .chunk(Data(bytes.dropFirst($0).prefix(size)))
                    }
                }
            }
        }

        /// The same answer with these metrics for requests that collect metrics; by default only sizes are reported.
        public func measured(_ metrics: TransportMetrics) -> Answer {
            changed { $0.metrics = metrics }
        }

        /// The same answer, sent without reading the request's body.
        public func beforeBody() -> Answer {
            changed { $0.readsBody = false }
        }

        func resolved(for request: HTTPRequest) -> Answer { make?(request).resolved(for: request) ?? self }

        static func unscripted(_ request: HTTPRequest) -> Answer {
            .failure(
                .unsupported,
                message: """
                    ScriptedTransport has no answer for \(request.method) \(SecretMask.standard.url(request.url)): \
                    give it one when it is made, or a rule with when(_:answer:).
                    """)
        }

        /// Changes an answer at once, or when it is made.
        private func changed(_ change: @escaping @Sendable (inout Answer) -> Void) -> Answer {
            var answer = self
            if let make {
                answer.make = { request in
                    var made = make(request).resolved(for: request)
                    change(&made)
                    return made
                }
            } else {
                change(&answer)
            }
            return answer
        }
    }
}

extension HTTPRequest {
    /// The percent-encoded path of the URL; `/` if it is empty.
    var scriptedPath: String {
        guard let scheme = url.range(of: "://") else { return url }
        let path = url[scheme.upperBound...].drop { $0 != "/" && $0 != "?" && $0 != "#" }
            .prefix { $0 != "?" && $0 != "#" }
        return path.isEmpty ? "/" : String(path)
    }
}
