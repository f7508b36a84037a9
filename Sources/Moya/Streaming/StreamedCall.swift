import Foundation
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A call that returns the head of an accepted response, followed by the body; it does not retain its provider.
struct StreamedCall<Target: TargetType>: Sendable {
    /// Changes the request before any middleware sees it.
    typealias Edit = @Sendable (inout URLRequest) -> Void

    private let call: ProviderCall
    private let context: ProviderCall.SendContext
    private let requestClosure: MoyaProvider<Target>.RequestClosure
    private let edit: Edit
    /// `true` if the target validates status codes itself.
    private let isValidated: Bool

    init(
        of target: Target, _ endpoint: Endpoint, by provider: MoyaProvider<Target>, deadlines: Deadlines? = nil,
        edit: @escaping Edit = { _ in }
    ) {
        let (behavior, pace) = SamplePace.chosen(by: provider.settings.clock) { provider.stubClosure(target) }
        context = ProviderCall.SendContext(
            endpoint: endpoint, behavior: behavior, session: provider.session,
            stubbing: provider.isSubclass && behavior.isStub
                ? provider.stubbing(of: target, endpoint, behavior, at: pace) : nil,
            pace: pace)
        call = ProviderCall(
            target: target, plugins: provider.plugins, consumer: .task(nil),
            route: provider.route(of: target, deadlines.map { CallLimits(deadlines: $0) }, to: endpoint.url),
            isStreamed: true)
        requestClosure = provider.requestClosure
        self.edit = edit
        isValidated = target.validationType.streamedStatusCodes != nil
    }

    /// Makes the call and returns the head of its response.
    func head() async -> Result<Response, MoyaError> {
        let result = await call.value {
            call.start(context) { endpoint, done in
                requestClosure(endpoint) { answer in
                    done(
                        answer.map { request in
                            var request = request
                            edit(&request)
                            return request
                        })
                }
            }
        }
        do throws(MoyaError) {
            let response = try result.get()
            return .success(isValidated ? response : try response.filterSuccessfulStatusCodes())
        } catch {
            // The caller may keep the error for a long time.
            error.response?.body?.cancel()
            return .failure(error)
        }
    }
}
