#if CombineMoya
import CombineMoya
import Foundation
import Moya
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

@Suite struct AnyPublisherProgressTests {
    /// Two events: half way, and the response.
    private var events: [ProgressResponse] {
        let half = Progress(totalUnitCount: 2)
        half.completedUnitCount = 1
        return [
            ProgressResponse(progress: half),
            ProgressResponse(progress: half, response: Response(statusCode: 200, data: Data("whole".utf8))),
        ]
    }

    private var publisher: AnyPublisher<ProgressResponse, MoyaError> {
        Publishers.Sequence(sequence: events).eraseToAnyPublisher()
    }

    @Test func filterCompletedPassesTheResponseOnly() {
        var statusCodes: [Int] = []
        _ = publisher.filterCompleted().sink(
            receiveCompletion: { _ in }, receiveValue: { statusCodes.append($0.statusCode) })
        #expect(statusCodes == [200])
    }

    @Test func filterProgressPassesTheProgressBeforeTheResponseOnly() {
        var progress: [Double] = []
        _ = publisher.filterProgress().sink(receiveCompletion: { _ in }, receiveValue: { progress.append($0) })
        #expect(progress == [0.5])
    }
}
#endif
