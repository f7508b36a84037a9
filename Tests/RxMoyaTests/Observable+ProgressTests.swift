#if RxMoya
import Foundation
import Moya
import RxMoya
import RxSwift
import Testing

@Suite struct ObservableProgressTests {
    /// Two events: half way, and the response.
    private var events: [ProgressResponse] {
        let half = Progress(totalUnitCount: 2)
        half.completedUnitCount = 1
        return [
            ProgressResponse(progress: half),
            ProgressResponse(progress: half, response: Response(statusCode: 200, data: Data("whole".utf8))),
        ]
    }

    @Test func filterCompletedPassesTheResponseOnly() {
        var statusCodes: [Int] = []
        _ = Observable.from(events).filterCompleted().subscribe(onNext: { statusCodes.append($0.statusCode) })
        #expect(statusCodes == [200])
    }

    @Test func filterProgressPassesTheProgressBeforeTheResponseOnly() {
        var progress: [Double] = []
        _ = Observable.from(events).filterProgress().subscribe(onNext: { progress.append($0) })
        #expect(progress == [0.5])
    }
}
#endif
