import Foundation
import Moya

/// The requirements on every adapter's calls.
package enum CallClause: String, CaseIterable, Sendable {
    // Calls
    case stubAnswersInsideTheSubscription
    case stubbedErrorEndsTheStream
    case serverAnswersEachTarget
    case nothingHappensBeforeASubscription
    case eachSubscriptionMakesACallOfItsOwn
    case equalSubscriptionsShareACallWhenInflightsAreTracked

    // Progress
    case progressOfARequestTellsQuarters
    case progressOfADownloadTellsQuarters
    case progressWithoutALengthIsZeroUntilTheEnd
    case progressOfAStubEndsWithItsResponse
    case failedCallTellsItsProgressOnceMore

    // Queues
    case queueOfTheCallBeatsThatOfTheProvider
    case queueOfTheProviderIsUsedWhenTheCallHasNone
    case queueOfTheCallIsUsedWhenTheProviderHasNone
    case mainQueueIsTheDefault
    case eventsComeOneAtATimeOnAConcurrentQueue

    // Disposal
    case disposalCancelsTheCall
    case nothingIsToldAfterADisposal
    case disposalInsideAValueCancelsTheCall
    case disposalInsideTheResponseEndsTheStream
    case disposalBeforeTheRequestIsThereLeavesNothing
    case disposalWhileTheAnswerArrivesTellsAtMostTheAnswer

    // Providers
    case providerGoneBeforeTheSubscriptionTellsNothing
    case providerReleasedDuringTheCallIsKeptUntilItsEnd

    /// Checks the adapter, and that nothing is left of providers and requests afterwards.
    ///
    /// - Throws: ``Violation``.
    package func check(_ adapter: some CallAdapter) async throws {
        let live = LiveObjects()
        try await check(CallContract(adapter: adapter, live: live))
        try await live.areGone()
    }

    private func check(_ contract: CallContract<some CallAdapter>) async throws {
        switch self {
        case .stubAnswersInsideTheSubscription: try contract.stubAnswersInsideTheSubscription()
        case .stubbedErrorEndsTheStream: try contract.stubbedErrorEndsTheStream()
        case .serverAnswersEachTarget: try await contract.serverAnswersEachTarget()
        case .nothingHappensBeforeASubscription: try await contract.nothingHappensBeforeASubscription()
        case .eachSubscriptionMakesACallOfItsOwn: try await contract.eachSubscriptionMakesACallOfItsOwn()
        case .equalSubscriptionsShareACallWhenInflightsAreTracked: try await contract.equalSubscriptionsShareACall()
        case .progressOfARequestTellsQuarters: try await contract.progressTellsQuarters(isDownload: false)
        case .progressOfADownloadTellsQuarters: try await contract.progressTellsQuarters(isDownload: true)
        case .progressWithoutALengthIsZeroUntilTheEnd: try await contract.progressWithoutALengthIsZero()
        case .progressOfAStubEndsWithItsResponse: try contract.progressOfAStubEndsWithItsResponse()
        case .failedCallTellsItsProgressOnceMore: try await contract.failedCallTellsItsProgressOnceMore()
        case .queueOfTheCallBeatsThatOfTheProvider: try await contract.queues(call: true, provider: true)
        case .queueOfTheProviderIsUsedWhenTheCallHasNone: try await contract.queues(call: false, provider: true)
        case .queueOfTheCallIsUsedWhenTheProviderHasNone: try await contract.queues(call: true, provider: false)
        case .mainQueueIsTheDefault: try await contract.queues(call: false, provider: false)
        case .eventsComeOneAtATimeOnAConcurrentQueue: try await contract.eventsComeOneAtATime()
        case .disposalCancelsTheCall: try await contract.disposalCancelsTheCall()
        case .nothingIsToldAfterADisposal: try await contract.nothingIsToldAfterADisposal()
        case .disposalInsideAValueCancelsTheCall: try await contract.disposalInsideAValueCancelsTheCall()
        case .disposalInsideTheResponseEndsTheStream: try await contract.disposalInsideTheResponseEndsTheStream()
        case .disposalBeforeTheRequestIsThereLeavesNothing: try contract.disposalBeforeTheRequestIsThere()
        case .disposalWhileTheAnswerArrivesTellsAtMostTheAnswer: try contract.disposalWhileTheAnswerArrives()
        case .providerGoneBeforeTheSubscriptionTellsNothing: try contract.providerGoneBeforeTheSubscription()
        case .providerReleasedDuringTheCallIsKeptUntilItsEnd: try await contract.providerReleasedDuringTheCall()
        }
    }
}

/// The clauses, in files by their kind, over one adapter.
struct CallContract<Adapter: CallAdapter>: Sendable {
    let adapter: Adapter
    let live: LiveObjects

    /// A provider that is counted, and its requests with it.
    func provider(
        sample: EndpointSampleResponse? = nil,
        requestClosure: @escaping MoyaProvider<ContractTarget>.RequestClosure =
            MoyaProvider<ContractTarget>.defaultRequestMapping,
        stub: StubBehavior = .never,
        callbackQueue: DispatchQueue? = nil,
        plugins: [any PluginType] = [],
        trackInflights: Bool = false
    ) -> MoyaProvider<ContractTarget> {
        MoyaProvider(
            endpointClosure: { target in
                guard let sample else { return MoyaProvider<ContractTarget>.defaultEndpointMapping(for: target) }
                return Endpoint(
                    url: target.baseURL.absoluteString, sampleResponseClosure: { sample }, method: target.method,
                    task: target.task, httpHeaderFields: nil)
            },
            requestClosure: requestClosure,
            stubClosure: { _ in stub },
            callbackQueue: callbackQueue,
            session: live.session(),
            plugins: [live.pluginOfAProvider()] + plugins,
            trackInflights: trackInflights)
    }

    func response(
        of target: ContractTarget = ContractTarget(), from provider: MoyaProvider<ContractTarget>,
        on queue: DispatchQueue? = nil
    ) -> AnyStream<Response> {
        adapter.response(of: target, from: provider, callbackQueue: queue)
    }

    func progress(
        of target: ContractTarget = ContractTarget(), from provider: MoyaProvider<ContractTarget>,
        on queue: DispatchQueue? = nil
    ) -> AnyStream<ProgressResponse> {
        adapter.progress(of: target, from: provider, callbackQueue: queue)
    }
}

extension Response {
    var text: String { String(decoding: data, as: UTF8.self) }
}
