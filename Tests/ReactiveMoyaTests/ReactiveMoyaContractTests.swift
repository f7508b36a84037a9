#if ReactiveMoya
import AdapterContract
import Testing

/// The contract of every adapter, for ReactiveMoya.
@Suite struct ReactiveMoyaContractTests {
    @Test(.timeLimit(.minutes(5)), arguments: CallClause.allCases)
    func callsObeyTheContract(clause: CallClause) async throws { try await clause.check(ReactiveAdapter()) }

    @Test(.timeLimit(.minutes(5)), arguments: StreamClause.allCases)
    func streamsObeyTheContract(clause: StreamClause) async throws { try await clause.check(ReactiveAdapter()) }

    @Test(.timeLimit(.minutes(5)), arguments: OperatorClause.allCases)
    func operatorsOfAProducerObeyTheContract(clause: OperatorClause) throws {
        try clause.check(SignalProducerOperators())
    }
}
#endif
