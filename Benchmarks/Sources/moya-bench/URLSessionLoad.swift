import CMeasure
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Makes calls with Foundation's client and default settings: a task's completion starts the next task.
final class URLSessionLoad: Sendable {
    private let session: URLSession
    private let url: URL

    init(_ options: Options) {
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = options.connections
        session = URLSession(configuration: configuration)
        url = options.url.appendingPathComponent("small")
    }

    func start() {
        let started = measure_now()
        let task = session.dataTask(with: url) { data, response, error in
            let status = (response as? HTTPURLResponse)?.statusCode
            measure_completed(started, error == nil && status == 200 && data?.count == BenchmarkAPI.sampleLength)
            self.start()
        }
        task.resume()
    }
}
