import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { GatewayMetrics } from '../../telemetry';
import { refuseConnection } from './raw-answer';

const connectionsMax = 200;

/** An optional extra port for plain HTTP that refuses every request without reading it (R-1-9): no redirect, no effect (T-26). */
export class PlainListener {
  private server: Server | undefined;

  constructor(
    private readonly settings: { host: string; port: number | null },
    private readonly metrics: GatewayMetrics,
  ) {}

  get port(): number {
    return (this.server?.address() as AddressInfo | null)?.port ?? 0;
  }

  async open(): Promise<void> {
    const { host, port } = this.settings;
    if (port === null) return;
    const server = createServer(socket => {
      this.metrics.connectionRefused('plain-http');
      refuseConnection(socket, 'HTTPS is required');
    });
    server.maxConnections = connectionsMax;
    server.listen({ host, port });
    await once(server, 'listening');
    this.server = server;
  }

  async close(): Promise<void> {
    if (!this.server?.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    await closed;
  }
}
