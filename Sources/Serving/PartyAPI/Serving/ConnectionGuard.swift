import NIOCore

/// Closes connections whose clients are too slow: the first handler of each, before TLS.
final class ConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let limits: ServingLimits
    private var machine: ConnectionMachine?
    private var timer: DeadlineTimer?

    init(_ limits: ServingLimits) {
        self.limits = limits
    }

    func handlerAdded(context: ChannelHandlerContext) {
        machine = ConnectionMachine(limits, at: context.eventLoop.now)
        timer = DeadlineTimer(
            on: context.eventLoop,
            deadline: { [weak self] in self?.machine?.deadline },
            onExpiry: { [weak self] in self?.expire(context) }
        )
        timer?.update()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        update { $0.bytesArrived(at: context.eventLoop.now) }
        context.fireChannelRead(data)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        update { $0.writability(is: context.channel.isWritable, at: context.eventLoop.now) }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            update { $0.stop(at: context.eventLoop.now) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Tells what happened to the connection, or to a request on it.
    func update(_ change: (inout ConnectionMachine) -> Void) {
        guard var machine else { return }
        change(&machine)
        self.machine = machine
        timer?.update()
    }

    private func expire(_ context: ChannelHandlerContext) {
        switch machine?.expire(at: context.eventLoop.now) {
        case .refuse: context.fireUserInboundEventTriggered(HeadersTooSlowEvent())
        case .close: context.close(promise: nil)
        case .nothing, nil: break
        }
    }
}

/// The headers of a request began to arrive, and did not end in time.
struct HeadersTooSlowEvent {}
