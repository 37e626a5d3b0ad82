import NIOCore

/// The first channel handler of a connection, before TLS: closes connections whose clients are too slow.
final class SlowConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let limits: ServingLimits
    private var machine: ConnectionTimeoutMachine?
    private var timer: DeadlineTimer?

    init(_ limits: ServingLimits) {
        self.limits = limits
    }

    func handlerAdded(context: ChannelHandlerContext) {
        machine = ConnectionTimeoutMachine(limits, at: context.eventLoop.now)
        timer = DeadlineTimer(
            on: context.eventLoop,
            deadline: { [weak self] in self?.machine?.deadline },
            onExpiry: { [weak self] in self?.deadlineReached(context) }
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
        update { $0.bytesReceived(at: context.eventLoop.now) }
        context.fireChannelRead(data)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        update { $0.writabilityChanged(to: context.channel.isWritable, at: context.eventLoop.now) }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            update { $0.shutdownStarted(at: context.eventLoop.now) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Passes an event of the connection, or of a request on it, to the state machine.
    func update(_ event: (inout ConnectionTimeoutMachine) -> Void) {
        guard var machine else { return }
        event(&machine)
        self.machine = machine
        timer?.update()
    }

    private func deadlineReached(_ context: ChannelHandlerContext) {
        switch machine?.deadlineReached(at: context.eventLoop.now) {
        case .respondAndClose: context.fireUserInboundEventTriggered(HeaderTimeoutEvent())
        case .close: context.close(promise: nil)
        case .nothing, nil: break
        }
    }
}

/// A channel event: the headers of a request began to arrive but were not complete in time.
struct HeaderTimeoutEvent {}
