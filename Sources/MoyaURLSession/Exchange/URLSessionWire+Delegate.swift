import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSessionWire: URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(of: dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        exchange(of: task)?.sent(totalBytesSent)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        exchange(of: task)?.complete(error)
        #if canImport(Darwin)
        taskIsOver(task)
        #endif
    }

    /// Returns the redirect as the response: the session handles it.
    ///
    /// Foundation on Linux traps if this is answered for a task that was cancelled meanwhile. An exchange that has
    /// ended has cancelled its task on this queue, and only exchanges cancel tasks.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        #if !canImport(Darwin)
        guard exchange(of: task) != nil else { return }
        #endif
        completionHandler(nil)
    }

    /// Provides the body from its first byte; Foundation on Linux calls this on a separate queue, and waits for the
    /// stream.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
        #if canImport(Darwin)
        completionHandler(exchange(of: task)?.newBodyStream())
        #else
        completionHandler(newStream(of: task))
        #endif
    }

    #if canImport(Darwin)
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let (disposition, credential) =
            exchange(of: task)?.answer(to: challenge) ?? answer(toLate: challenge)
        completionHandler(disposition, credential)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse
    ) {
        exchange(of: task)?.receive(response)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        exchange(of: task)?.metrics = TransportMetrics(metrics)
    }
    #else
    /// Ends the exchange with the 401 that was received.
    ///
    /// Foundation on Linux calls this when the response was complete; without an answer the task would end.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        exchange(of: task)?.complete(nil, isTaskOver: false)
    }
    #endif
}
