import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * Behaves like a Kubernetes Service: one address; new connections go to the ready replicas in turn; open connections stay until one of the
 * two ends closes them.
 */
export class ServiceEndpoint {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private replicas: number[] = [];
  private turn = 0;

  private constructor() {
    this.server = createServer(client => this.onConnection(client));
  }

  static async open(): Promise<ServiceEndpoint> {
    const endpoint = new ServiceEndpoint();
    await new Promise<void>(resolve => endpoint.server.listen(0, '127.0.0.1', resolve));
    return endpoint;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  add(port: number): void {
    this.replicas.push(port);
  }

  remove(port: number): void {
    this.replicas = this.replicas.filter(each => each !== port);
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise(resolve => this.server.close(resolve));
  }

  private onConnection(client: Socket): void {
    const port = this.replicas[this.turn++ % this.replicas.length];
    if (port === undefined) return void client.destroy();
    const replica = connect({ port, host: '127.0.0.1', noDelay: true });
    client.setNoDelay(true);
    for (const [socket, other] of [
      [client, replica],
      [replica, client],
    ] as const) {
      this.sockets.add(socket);
      socket.once('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
      socket.on('error', () => other.destroy());
      socket.pipe(other);
    }
  }
}
