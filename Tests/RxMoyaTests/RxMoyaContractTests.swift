#if RxMoya
import AdapterContract
import Testing

/// The contract of every adapter, for RxMoya.
@Suite struct RxMoyaContractTests {
    @Test(.timeLimit(.minutes(5)), arguments: CallClause.allCases)
    func callsObeyTheContract(clause: CallClause) async throws { try await clause.check(RxAdapter()) }

    @Test(.timeLimit(.minutes(5)), arguments: StreamClause.allCases)
    func streamsObeyTheContract(clause: StreamClause) async throws { try await clause.check(RxAdapter()) }

    @Test(.timeLimit(.minutes(5)), arguments: OperatorClause.allCases)
    func operatorsOfAnObservableObeyTheContract(clause: OperatorClause) throws {
        try clause.check(ObservableOperators())
    }

    @Test(.timeLimit(.minutes(5)), arguments: OperatorClause.allCases)
    func operatorsOfASingleObeyTheContract(clause: OperatorClause) throws { try clause.check(SingleOperators()) }
}
#endif
