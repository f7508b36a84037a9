// The names of Alamofire that exist only to name their replacement. Scripts/compiler-messages compares the compiler's errors
// with these comments.
import Foundation
import Moya
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

func useTasks(_ task: Moya.Task) async throws {
    // expected-error@+1 {{This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task}}
    _ = Moya.Task { @MainActor in }
    // expected-error@+1 {{This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task}}
    _ = Moya.Task.detached {}
    // expected-error@+1 {{This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task}}
    try await Moya.Task.sleep(for: .seconds(1))
    // expected-error@+1 {{This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task}}
    try await Moya.Task.sleep(for: .seconds(1), tolerance: .seconds(1))
    // expected-error@+1 {{This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task}}
    try await Moya.Task.sleep(nanoseconds: 1_000_000)
    // expected-error@+1 {{This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task}}
    try await Moya.Task.sleep(until: .now, clock: .continuous)
    // expected-error@+1 {{This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task}}
    await Moya.Task.yield()
    // expected-error@+1 {{This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task}}
    try Moya.Task.checkCancellation()
    // expected-error@+1 {{This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task}}
    _ = Moya.Task.isCancelled
    // expected-error@+1 {{This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task}}
    task.cancel()
    // expected-error@+1 {{This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task}}
    _ = try await task.value
    // expected-error@+1 {{This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task}}
    _ = task.isCancelled
}

func makeSessions(_ configuration: URLSessionConfiguration) {
    // expected-error@+1 {{A request is built once it is started; write .lazy, or leave it out}}
    _ = Session(requestSetup: .eager)
    // expected-error@+2 {{Write Session(configuration:), and give a transport of your own as transport:}}
    // expected-error@+1 {{There is no URLSession here: write an EventMonitor, a RedirectHandler or a CachedResponseHandler}}
    _ = Session(session: URLSession(configuration: configuration), delegate: SessionDelegate(), rootQueue: .main)
    // expected-error@+2 {{Leave delegate: out: watch requests with eventMonitors:, decide with redirectHandler: and the like}}
    // expected-error@+1 {{There is no URLSession here: write an EventMonitor, a RedirectHandler or a CachedResponseHandler}}
    _ = Session(configuration: configuration, delegate: SessionDelegate())
}

func readSession(_ session: Session) {
    // expected-error@+1 {{There is no URLSession here: write cancelAllRequests(), withAllRequests or sessionConfiguration}}
    session.session.invalidateAndCancel()
    // expected-error@+1 {{There is no URLSession here: watch requests with an EventMonitor}}
    _ = session.delegate
}

// expected-error@+1 {{There is no URLSession here: write an EventMonitor, a RedirectHandler or a CachedResponseHandler}}
final class PinningDelegate: SessionDelegate {}

func readStream(_ request: DataStreamRequest) {
    // expected-error@+1 {{read the body with for try await chunk in try await request.stream()}}
    _ = request.asInputStream()
    // expected-error@+1 {{read the body with for try await chunk in try await request.stream()}}
    _ = request.asInputStream(bufferSize: 4096)
}

func readError(_ error: AFError) {
    // expected-error@+1 {{Read resumeData of the download or of its response}}
    _ = error.downloadResumeData
}
