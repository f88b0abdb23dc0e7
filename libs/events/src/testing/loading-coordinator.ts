import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { ISocketFactory } from 'kafkajs';

/** Numbers of the Kafka protocol (https://kafka.apache.org/protocol). */
const joinGroupApi = 11;
const coordinatorLoadInProgress = 14;

/** Offsets in a frame without its size: a request begins with api, version, correlation id; an answer with correlation id, throttle time. */
const apiAt = 0;
const correlationIdAt = 4;
const errorOfJoinAt = 8;

/**
 * Relays to one broker without TLS. Its coordinator "still loads its groups" for the first `refusals` joins: what the broker answered is
 * replaced by the error COORDINATOR_LOAD_IN_PROGRESS, as right after a broker became the leader of those groups.
 */
export class LoadingCoordinator {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  /** How many joins got that error. */
  refused = 0;

  private constructor(
    private readonly broker: { host: string; port: number },
    private readonly refusals: number,
  ) {
    this.server = createServer(client => this.relay(client));
  }

  static async open(address: string, refusals: number): Promise<LoadingCoordinator> {
    const [host, port] = address.split(':');
    const coordinator = new LoadingCoordinator({ host: host!, port: Number(port) }, refusals);
    await once(coordinator.server.listen(0, '127.0.0.1'), 'listening');
    return coordinator;
  }

  /** Leads all connections here: there is one broker. */
  get socketFactory(): ISocketFactory {
    const { port } = this.server.address() as AddressInfo;
    return ({ onConnect }) => connect({ host: '127.0.0.1', port }, onConnect);
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise(closed => this.server.close(closed));
  }

  private relay(client: Socket): void {
    const broker = connect(this.broker);
    const joins = new Set<number>();
    for (const socket of [client, broker]) {
      this.sockets.add(socket);
      // A side that ends abruptly ends the other one.
      socket.on('error', () => socket.destroy()).on('close', () => this.sockets.delete(socket));
    }
    client.on('close', () => broker.destroy());
    broker.on('close', () => client.destroy());
    onFrame(client, frame => {
      if (frame.readInt16BE(apiAt) === joinGroupApi) joins.add(frame.readInt32BE(correlationIdAt));
      broker.write(sized(frame));
    });
    onFrame(broker, frame => {
      if (joins.delete(frame.readInt32BE(0)) && this.refused < this.refusals) {
        this.refused++;
        frame.writeInt16BE(coordinatorLoadInProgress, errorOfJoinAt);
      }
      client.write(sized(frame));
    });
  }
}

function onFrame(socket: Socket, take: (frame: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('data', chunk => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
      const end = 4 + rest.readInt32BE(0);
      take(rest.subarray(4, end));
      rest = rest.subarray(end);
    }
  });
}

function sized(frame: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeInt32BE(frame.length);
  return Buffer.concat([size, frame]);
}
