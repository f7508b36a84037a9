#if RxMoya
import AdapterContract
import Testing

/// The contract of every adapter, for RxMoya.
@Suite struct RxMoyaContractTests {
    @Test(.timeLimit(.minutes(5)), arguments: CallClause.allCases)
    func callsHold(clause: CallClause) async throws { try await clause.check(RxAdapter()) }

    @Test(.timeLimit(.minutes(5)), arguments: StreamClause.allCases)
    func streamsHold(clause: StreamClause) async throws { try await clause.check(RxAdapter()) }

    @Test(.timeLimit(.minutes(5)), arguments: OperatorClause.allCases)
    func operatorsOfAnObservableHold(clause: OperatorClause) throws { try clause.check(ObservableOperators()) }

    @Test(.timeLimit(.minutes(5)), arguments: OperatorClause.allCases)
    func operatorsOfASingleHold(clause: OperatorClause) throws { try clause.check(SingleOperators()) }
}
#endif
