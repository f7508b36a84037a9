import MoyaTransport

// `dump` would find settings, cookies, credentials and parts of forms in these.
extension Session: OpaqueReflection {}
extension RequestMultipartFormData: OpaqueReflection {}
extension AuthenticationInterceptor: OpaqueReflection {}
