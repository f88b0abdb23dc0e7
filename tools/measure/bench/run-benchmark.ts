/** The main program of a benchmark: its options, PostgreSQL, receivers and the services that it does not measure, and their end. */
import { parseArgs } from 'node:util';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CloseItem, MerchantRecord, Route } from '@paycode/dto';
import { BenchDatabase } from './bench-database.ts';
import { bundle, CalledProcess, endChildren } from './child-processes.ts';
import { makeSecrets, writeBenchCertificate } from './merchants.ts';
import type { PlatformFixture } from './platform-under-test.ts';
import type { ReceiverOptions, ReceiverPorts } from './receiver.main.ts';

export interface BenchFixture extends PlatformFixture {
  neighbours: Neighbours;
  receiver: CalledProcess;
  ports: ReceiverPorts;
}

type Receivers = Omit<ReceiverOptions, 'certFile' | 'keyFile'>;
type Run<T> = (fixture: BenchFixture, scale: T, options: { ceilings: boolean }) => Promise<boolean>;

const flag = { type: 'boolean', default: false } as const;

/** Runs `measure`, and ends the process with everything that it started. The exit code is 1 when `measure` gives false. */
export function runBenchmark<T>(scales: Record<'quick' | 'full', T>, receivers: (scale: T) => Receivers, measure: Run<T>): void {
  const run = async () => {
    const { values } = parseArgs({ options: { quick: flag, ceilings: flag } });
    const scale = scales[values.quick ? 'quick' : 'full'];
    const database = await BenchDatabase.start();
    try {
      const [neighbours, secrets] = [await Neighbours.start(), makeSecrets(database.home)];
      const certificate = await writeBenchCertificate(database.home);
      const receiver = new CalledProcess(bundle('receiver'));
      const ports = await receiver.call<ReceiverPorts>('open', { ...certificate, ...receivers(scale) });
      const services = { database, neighbours, neighboursUrl: neighbours.url };
      return await measure({ ...services, secrets, certificate, receiver, ports }, scale, values);
    } finally {
      endChildren();
      await database.stop();
    }
  };
  run().then(
    isExact => process.exit(isExact ? 0 : 1),
    (error: Error) => {
      process.stderr.write(`${error.stack}\n`);
      process.exit(1);
    },
  );
}

/** Stands in for the services that the measured ones call, over real HTTP: merchants and routes of notification-config, `close` of the dispatcher. */
class Neighbours {
  private readonly routes = new Map<number, Route>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Neighbours> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    const neighbours = new Neighbours(server);
    server.on('request', (request, response) => {
      void bodyOf(request).then(body => {
        response.setHeader('content-type', 'application/json').end(JSON.stringify(neighbours.answerTo(request.url ?? '', body)));
      });
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return neighbours;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  know(routes: readonly Route[]): void {
    for (const route of routes) this.routes.set(route.merchantId, route);
  }

  private answerTo(path: string, body: unknown): unknown {
    if (path === '/internal/routes') return (body as { merchantIds: number[] }).merchantIds.map(id => this.routes.get(id));
    // Every payment that a timer asks about went unanswered.
    if (path === '/internal/deliveries/close')
      return (body as CloseItem[]).map(({ transactionId }) => ({ transactionId, verdict: 'CLOSED_TIMEOUT' }));
    if (path.startsWith(merchantPath)) return merchantOf(Number(path.slice(merchantPath.length)));
    throw new Error(`nobody serves ${path}`);
  }
}

const merchantPath = '/internal/merchants/';

function merchantOf(merchantId: number): MerchantRecord {
  return { merchantId, merchantName: 'Corner Shop', pspId: 1, acquirer: 'ACQ', status: 'ACTIVE' };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
}
