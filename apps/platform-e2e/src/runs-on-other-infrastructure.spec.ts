import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { topics } from '@paycode/dto';
import { createKafkaClient } from '@paycode/events/kafka';
import { eventually } from '@paycode/service-runtime/testing';
import { PlatformConnection } from '@paycode/platform-client';
import { makeMerchantWithReceiver, payNewCode, sharedPlatform } from './testing/platform';
import { PlatformProcess, temporaryFolder } from './testing/platform-process';

const brokers = process.env['KAFKA_BROKERS'];
const ignore = () => undefined;
const silent = { info: ignore, warn: ignore, error: ignore };
// Never silently: where a broker is required its absence fails the run, elsewhere one line says what did not run.
if (!brokers && process.env['PAYCODE_REQUIRE_KAFKA'] === '1')
  throw new Error('PAYCODE_REQUIRE_KAFKA=1, but KAFKA_BROKERS is not set');
const notRun = brokers ? '' : ' (not run: no KAFKA_BROKERS)';

/** One setting per part replaces it by the operator's own infrastructure; the payment ends the same way. */
describe('the standalone platform on infrastructure of one’s own', () => {
  let folder: string;
  let platform: PlatformProcess | undefined;
  beforeEach(() => (folder = temporaryFolder()));
  afterEach(async () => {
    await platform?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function settlesAndReverses(connection: PlatformConnection): Promise<void> {
    const { merchant, receiver } = await makeMerchantWithReceiver(connection);
    receiver.answer = ({ amount, status }) => (status === 'SUCCESS' && amount === 13 ? 503 : 200);
    const [kept, returned] = [await payNewCode(merchant, '12.00'), await payNewCode(merchant, '13.00')];
    await eventually(async () => expect(await merchant.reversal(kept)).toMatchObject({ state: 'SETTLED' }));
    await eventually(async () => expect(await merchant.transaction(returned)).toMatchObject({ status: 'REVERSED' }));
    await receiver.stop();
  }

  it('an external PostgreSQL', async () => {
    const home = join(folder, 'home');
    const url = process.env['PAYCODE_TEST_DATABASE_URL']!;
    platform = new PlatformProcess({ home, env: { DATABASE_URL: url, EVENTS_TRANSPORT: undefined }, args: ['--fresh'] });
    await platform.untilReady();
    expect(platform.output).toContain(`PostgreSQL at ${new URL(url).host}`);
    await settlesAndReverses(new PlatformConnection(home));
  });

  // The platform that all journeys share runs on these brokers.
  (brokers ? it : it.skip)(`Kafka: two payments and a reversal are events in its topics${notRun}`, async () => {
    const kafka = createKafkaClient({ connection: { brokers: brokers!.split(',') }, clientId: 'journey', log: silent });
    const admin = kafka.admin();
    await admin.connect();
    try {
      const eventsIn = async (topic: string) =>
        (await admin.fetchTopicOffsets(topic)).reduce((sum, { high }) => sum + Number(high), 0);
      const names = [topics.transactionTerminal, topics.ackReceived, topics.reversalRequested];
      const before = await Promise.all(names.map(eventsIn));
      await settlesAndReverses(sharedPlatform());
      // Two payments and the reversal's own event; one acknowledged; one reversed. Outboxes are emptied after the fact.
      await eventually(async () => {
        const after = await Promise.all(names.map(eventsIn));
        expect(after.map((count, at) => count - before[at]! >= [3, 1, 1][at]!)).toEqual([true, true, true]);
      });
    } finally {
      await admin.disconnect();
    }
  });

  it('names the server that it cannot reach', async () => {
    platform = new PlatformProcess({
      home: join(folder, 'home'),
      env: { DATABASE_URL: 'postgres://paycode@127.0.0.1:1/postgres' },
    });
    expect(await platform.exited).toBe(1);
    expect(platform.output).toContain('PostgreSQL at 127.0.0.1:1 cannot be used');
  });
});
