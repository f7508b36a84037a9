#if CombineMoya
import Foundation
import Moya
import MoyaSession

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

extension CallSource {
    /// A source of the one response that a closure asks a request for.
    init<R: Request>(
        _ request: R, respond: @escaping @Sendable (R, @escaping @Sendable (Value) -> Void) -> R
    ) {
        let call = CancellableToken { request.cancel() }
        self.init(of: call) { subscription in
            respond(request) { subscription.finish(with: .success($0)) }.resume()
            return call
        }
    }

    /// A source of the elements of a sequence, each read when the subscriber has taken the one before; the end needs no
    /// demand.
    init<Elements: AsyncSequence & Sendable>(
        on queue: DispatchQueue, of sequence: @escaping @Sendable () -> Elements,
        onCancel: @escaping @Sendable () -> Void
    ) where Elements.Element == Value {
        self.init(of: CancellableToken(action: onCancel)) { subscription in
            let task = _Concurrency.Task {
                var elements = sequence().makeAsyncIterator()
                while let element = try? await elements.next(), await subscription.demand() {
                    await withCheckedContinuation { taken in
                        queue.async {
                            subscription.receive(element)
                            taken.resume()
                        }
                    }
                }
                queue.async { subscription.finish(with: .success(nil)) }
            }
            return CancellableToken {
                task.cancel()
                onCancel()
            }
        }
    }
}

extension Publisher where Failure == Never {
    /// Publishes the values that a closure makes, and fails with its first error, an `AFError`.
    func values<Value>(_ value: @escaping (Output) throws -> Value) -> AnyPublisher<Value, AFError> {
        tryMap(value).mapError { $0.asAFError(orFailWith: "") }.eraseToAnyPublisher()
    }
}
#endif
