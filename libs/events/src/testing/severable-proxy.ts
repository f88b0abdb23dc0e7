import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP relay on 127.0.0.1 that can be cut: while severed it closes every connection and accepts none. */
export class SeverableProxy {
  private readonly sockets = new Set<Socket>();
  private server?: Server;
  port = 0;

  constructor(private readonly target: { host: string; port: number }) {}

  /** Opens on a free port, or again on the port it had. */
  open(): Promise<void> {
    const server = createServer(inner => this.relay(inner));
    this.server = server;
    return new Promise((resolve, reject) => {
      server.once('error', reject).listen(this.port, '127.0.0.1', () => {
        this.port = (server.address() as { port: number }).port;
        resolve();
      });
    });
  }

  sever(): void {
    this.server?.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private relay(inner: Socket): void {
    const outer = connect(this.target);
    for (const socket of [inner, outer]) {
      this.sockets.add(socket);
      // A cut connection is what this class is for.
      socket.on('error', () => socket.destroy()).on('close', () => this.sockets.delete(socket));
    }
    inner.on('close', () => outer.destroy());
    outer.on('close', () => inner.destroy());
    inner.pipe(outer).pipe(inner);
  }
}
