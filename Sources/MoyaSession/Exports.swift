// `import MoyaSession` also imports the transport types in the session layer's own API.
@_exported public import MoyaTransport
