import Foundation
import Moya

/// Forms that need a decision of the app's author.
final class ByHand {
    let provider = MoyaProvider<TeaAPI>(
        plugins: [
            NetworkLoggerPlugin(
                verbose: true,
                responseDataFormatter: { data in data }
            )
        ])

    func describe(completion: @escaping (String) -> Void) {
        provider.request(.teas(page: 1)) { result in
            completion(result.error?.localizedDescription ?? "")
            completion(
                result.analysis(
                    ifSuccess: { response in "\(response.statusCode)" },
                    ifFailure: { error in error.localizedDescription }
                ))
        }
    }
}
