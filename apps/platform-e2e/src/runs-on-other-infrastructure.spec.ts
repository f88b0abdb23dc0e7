import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { topics } from '@paycode/dto';
import { createKafkaClient } from '@paycode/events/kafka';
import { accepted, PlatformConnection } from '@paycode/platform-client';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { type CollectedSpan, TraceCollector } from '@paycode/service-runtime/tracing/testing';
import { makeMerchantWithReceiver, type MerchantWithReceiver, payNewCode, sharedPlatform } from './testing/platform';
import { PlatformProcess, temporaryFolder } from './testing/platform-process';

const brokers = process.env['KAFKA_BROKERS'];
const ignore = () => undefined;
const silent = { info: ignore, warn: ignore, error: ignore };
// Never silently: where a broker is required its absence fails the run, elsewhere one line says what did not run.
if (!brokers && process.env['PAYCODE_REQUIRE_KAFKA'] === '1')
  throw new Error('PAYCODE_REQUIRE_KAFKA=1, but KAFKA_BROKERS is not set');
const notRun = brokers ? '' : ' (not run: no KAFKA_BROKERS)';

/** Takes connections and never says a word, as a mail server or SMSC may. */
class HangingServer {
  readonly connections: Socket[] = [];
  private readonly server: Server = createServer(socket => {
    this.connections.push(socket);
    socket.on('error', () => socket.destroy());
  });

  async start(): Promise<string> {
    await new Promise<void>(resolve => this.server.listen(0, '127.0.0.1', resolve));
    return String((this.server.address() as AddressInfo).port);
  }

  async stop(): Promise<void> {
    for (const socket of this.connections) socket.destroy();
    await new Promise(resolve => this.server.close(resolve));
  }
}

/** A PostgreSQL, a trace collector, a mail server and an SMSC of the operator's own, at once: one start serves all of them. */
describe('the standalone platform on infrastructure of one’s own', () => {
  const folder = temporaryFolder();
  const hanging = new HangingServer();
  const databaseUrl = process.env['PAYCODE_TEST_DATABASE_URL']!;
  let collector: TraceCollector;
  let standalone: PlatformProcess;
  let platform: PlatformConnection;
  let shop: MerchantWithReceiver;

  beforeAll(async () => {
    collector = await new TraceCollector().listen();
    const port = await hanging.start();
    const home = join(folder, 'home');
    const env = {
      DATABASE_URL: databaseUrl,
      EVENTS_TRANSPORT: undefined,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      SMS_URL: `smpp://127.0.0.1:${port}`,
    };
    standalone = await new PlatformProcess({ home, env, args: ['--fresh'] }).untilReady();
    platform = new PlatformConnection(home);
    shop = await makeMerchantWithReceiver(platform);
  });
  afterAll(async () => {
    await shop?.receiver.stop();
    await standalone?.stop();
    await collector.stop();
    await hanging.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('names the PostgreSQL', () => {
    expect(standalone.output).toContain(`PostgreSQL at ${new URL(databaseUrl).host}`);
  });

  /** With a collector configured, a payment is one trace from its event to its decision, and nobody outside is told of it. */
  describe('a payment with a trace collector', () => {
    const namesOf = (trace: readonly CollectedSpan[]) => trace.map(({ service, name }) => `${service}: ${name}`);

    /** Every span but the first hangs below another span of the same trace. */
    function expectOneTree(trace: readonly CollectedSpan[]): void {
      const ids = new Set(trace.map(span => span.spanId));
      expect(new Set(trace.map(span => span.traceId)).size).toBe(1);
      expect(trace.filter(span => span.parentSpanId === '').map(span => span.name)).toEqual(['purchase completed']);
      for (const span of trace) if (span.parentSpanId !== '') expect(ids).toContain(span.parentSpanId);
    }

    it('is one trace across simulator, dispatcher and scheduler when it is acknowledged', async () => {
      const transactionId = await payNewCode(shop.merchant);
      await eventually(() => {
        const trace = collector.traceOf(transactionId);
        expect(namesOf(trace)).toEqual(
          expect.arrayContaining([
            'payment-simulator: purchase completed',
            'payment-simulator: publish paycode.transaction.terminal.v1',
            'webhook-dispatcher: consume paycode.transaction.terminal.v1',
            'webhook-dispatcher: arm',
            'reversal-scheduler: arm',
            'webhook-dispatcher: POST webhook',
            'webhook-dispatcher: record verdict',
            'webhook-dispatcher: publish paycode.transaction.ack-received.v1',
            'reversal-scheduler: consume paycode.transaction.ack-received.v1',
            'reversal-scheduler: decide',
          ]),
        );
        expectOneTree(trace);
        const outcomeOf = (name: string) => trace.find(span => span.name === name)!.attributes['paycode.outcome'];
        expect([outcomeOf('record verdict'), outcomeOf('decide')]).toEqual(['ACKED_HTTP', 'SETTLED']);
      });
    });

    it('continues with the reversal and its notice when it is not', async () => {
      shop.receiver.answer = ({ status }) => (status === 'SUCCESS' ? 503 : 200);
      const transactionId = await payNewCode(shop.merchant);
      await eventually(() => {
        const trace = collector.traceOf(transactionId);
        expect(namesOf(trace)).toEqual(
          expect.arrayContaining([
            'webhook-dispatcher: settle',
            'reversal-scheduler: publish paycode.transaction.reversal-requested.v1',
            'payment-simulator: consume paycode.transaction.reversal-requested.v1',
            'payment-simulator: reversal completed',
          ]),
        );
        expect(trace.filter(span => span.name === 'POST webhook')).toHaveLength(2);
        expectOneTree(trace);
      });
    });

    it('tells the receiver nothing of the trace', () => {
      expect(shop.receiver.received.length).toBeGreaterThanOrEqual(3);
      for (const { headers } of shop.receiver.received) {
        expect(Object.keys(headers).filter(name => /trace|baggage|^b3$|^x-b3/i.test(name))).toEqual([]);
        const [{ traceId }] = collector.traceOf(Number(headers['x-webhook-transaction-id'])) as [CollectedSpan];
        expect(JSON.stringify(headers)).not.toContain(traceId);
      }
    });

    it('exports no personal data, no key and no address of a receiver (T-17)', () => {
      const exported = collector.bodies.join();
      expect(exported).toContain('webhook-dispatcher');
      for (const secret of [shop.receiver.encryptKey, shop.receiver.url, 'merchantName', 'Journey', 'eyJ', 'Bearer'])
        expect(exported).not.toContain(secret);
    });
  });

  /** Mail server and SMSC take connections and never say a word: payments settle as if they were not there. */
  describe('a mail server and an SMSC that hang', () => {
    it('settles every payment, and reverses the one that is not acknowledged (R-1-8, R-6.2-3)', async () => {
      shop.receiver.answer = () => 200;
      const path = '/portal/restful/merchant/notification/extra';
      const { merchantId } = shop.merchant;
      for (const [type, value] of [
        ['EMAIL', 'owner@shop.example'],
        ['SMS', '27821234567'],
      ]) {
        const call = { method: 'POST', path, body: { merchantId, type, value }, as: platform.account('psp-1') };
        accepted('extra', await platform.gateway(call));
      }
      const paid = await Promise.all([1, 2, 3, 4, 5].map(amount => payNewCode(shop.merchant, amount)));
      for (const id of paid) {
        await eventually(async () => expect(await shop.merchant.reversal(id)).toMatchObject({ state: 'SETTLED' }));
      }
      await eventually(() => expect(hanging.connections.length).toBeGreaterThan(0));
      shop.receiver.answer = () => 500;
      const refused = await payNewCode(shop.merchant);
      await eventually(async () => expect(await shop.merchant.reversal(refused)).toMatchObject({ state: 'REVERSED' }));
    });
  });
});

it('names the PostgreSQL that it cannot reach', async () => {
  const home = temporaryFolder();
  const started = new PlatformProcess({ home, env: { DATABASE_URL: 'postgres://paycode@127.0.0.1:1/postgres' } });
  expect(await started.exited).toBe(1);
  expect(started.output).toContain('PostgreSQL at 127.0.0.1:1 cannot be used');
  await rm(home, { recursive: true, force: true });
});

describe('the platform that all journeys share', () => {
  const later = undoneAfterEach();

  (brokers ? it : it.skip)(`Kafka: two payments and a reversal are events in its topics${notRun}`, async () => {
    const kafka = createKafkaClient({ connection: { brokers: brokers!.split(',') }, clientId: 'journey', log: silent });
    const admin = kafka.admin();
    await admin.connect();
    later(() => admin.disconnect());
    const eventsIn = async (topic: string) =>
      (await admin.fetchTopicOffsets(topic)).reduce((sum, { high }) => sum + Number(high), 0);
    const names = [topics.transactionTerminal, topics.ackReceived, topics.reversalRequested];
    const before = await Promise.all(names.map(eventsIn));
    const { merchant, receiver } = await makeMerchantWithReceiver(sharedPlatform());
    later(() => receiver.stop());
    receiver.answer = ({ amount, status }) => (status === 'SUCCESS' && amount === 13 ? 503 : 200);
    const [kept, returned] = [await payNewCode(merchant, '12.00'), await payNewCode(merchant, '13.00')];
    await eventually(async () => expect(await merchant.reversal(kept)).toMatchObject({ state: 'SETTLED' }));
    await eventually(async () => expect(await merchant.transaction(returned)).toMatchObject({ status: 'REVERSED' }));
    // Two payments and the reversal's own event; one acknowledged; one reversed. Outboxes are emptied after the fact.
    await eventually(async () => {
      const after = await Promise.all(names.map(eventsIn));
      expect(after.map((count, at) => count - before[at]! >= [3, 1, 1][at]!)).toEqual([true, true, true]);
    });
  });
});
