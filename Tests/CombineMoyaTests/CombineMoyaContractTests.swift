#if CombineMoya
import AdapterContract
import Testing

/// The contract of every adapter, for CombineMoya.
@Suite struct CombineMoyaContractTests {
    @Test(.timeLimit(.minutes(5)), arguments: CallClause.allCases)
    func callsObeyTheContract(clause: CallClause) async throws { try await clause.check(CombineAdapter()) }

    @Test(.timeLimit(.minutes(5)), arguments: StreamClause.allCases)
    func streamsObeyTheContract(clause: StreamClause) async throws { try await clause.check(CombineAdapter()) }

    @Test(.timeLimit(.minutes(5)), arguments: OperatorClause.allCases)
    func operatorsOfAPublisherObeyTheContract(clause: OperatorClause) throws {
        try clause.check(AnyPublisherOperators())
    }
}
#endif
