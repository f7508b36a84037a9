import Foundation
import Moya

/// The requirements on every adapter's streamed responses.
package enum StreamClause: String, CaseIterable, Sendable {
    // Elements
    case streamGivesTheHeadThenTheBytes
    case linesAreGiven
    case valuesAreDecoded
    case undecodableValueEndsTheStream
    case eventsAreGiven
    case eventsGoOnWhereTheServerGaveAnId
    case eventsAreDecodedUntilTheEnd
    case refusedStatusEndsTheStream

    // Calls
    case nothingHappensBeforeASubscription
    case eachSubscriptionMakesACallOfItsOwn
    case queueOfTheCallBeatsThatOfTheProvider
    case queueOfTheProviderIsUsedWhenTheCallHasNone
    case slowSubscriberHoldsTheServerBack

    // Disposal
    case disposalEndsTheExchange
    case disposalInsideAnElementEndsTheExchange

    // Providers
    case providerGoneBeforeTheSubscriptionTellsNothing
    case providerReleasedBeforeTheHeadIsKeptUntilTheEnd
    case providerReleasedDuringTheStreamIsKeptUntilItsEnd

    /// Checks the adapter, and that nothing is left of providers and requests afterwards.
    ///
    /// - Throws: ``Violation``.
    package func check(_ adapter: some StreamAdapter) async throws {
        let live = LiveObjects()
        try await check(StreamContract(adapter: adapter, live: live))
        try await live.areGone()
    }

    private func check(_ contract: StreamContract<some StreamAdapter>) async throws {
        switch self {
        case .streamGivesTheHeadThenTheBytes: try await contract.streamGivesTheHeadThenTheBytes()
        case .linesAreGiven: try await contract.linesAreGiven()
        case .valuesAreDecoded: try await contract.valuesAreDecoded()
        case .undecodableValueEndsTheStream: try await contract.undecodableValueEndsTheStream()
        case .eventsAreGiven: try await contract.eventsAreGiven()
        case .eventsGoOnWhereTheServerGaveAnId: try await contract.eventsGoOn()
        case .eventsAreDecodedUntilTheEnd: try await contract.eventsAreDecoded()
        case .refusedStatusEndsTheStream: try await contract.refusedStatusEndsTheStream()
        case .nothingHappensBeforeASubscription: try await contract.nothingHappensBeforeASubscription()
        case .eachSubscriptionMakesACallOfItsOwn: try await contract.eachSubscriptionMakesACallOfItsOwn()
        case .queueOfTheCallBeatsThatOfTheProvider: try await contract.queues(call: true)
        case .queueOfTheProviderIsUsedWhenTheCallHasNone: try await contract.queues(call: false)
        case .slowSubscriberHoldsTheServerBack: try await contract.slowSubscriberHoldsTheServerBack()
        case .disposalEndsTheExchange: try await contract.disposalEndsTheExchange()
        case .disposalInsideAnElementEndsTheExchange: try await contract.disposalInsideAnElement()
        case .providerGoneBeforeTheSubscriptionTellsNothing: try contract.providerGoneBeforeTheSubscription()
        case .providerReleasedBeforeTheHeadIsKeptUntilTheEnd: try await contract.providerReleased(hasHead: false)
        case .providerReleasedDuringTheStreamIsKeptUntilItsEnd: try await contract.providerReleased(hasHead: true)
        }
    }
}
