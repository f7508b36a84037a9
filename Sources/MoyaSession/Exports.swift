// `import MoyaSession` shows the values of the port that the engine's own API speaks in.
@_exported public import MoyaTransport
