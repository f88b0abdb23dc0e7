import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@paycode/service-runtime/testing';
import { PlatformConnection } from '@paycode/tools/demo';
import { makeMerchantWithReceiver, payNewCode } from './testing/platform';
import { PlatformProcess, temporaryFolder } from './testing/platform-process';

const brokers = process.env['KAFKA_BROKERS'];
// Never silently: CI fails without a broker, elsewhere one line says what did not run.
if (!brokers && process.env['CI'] === 'true') throw new Error('CI=true, but KAFKA_BROKERS is not set');
if (!brokers) process.stdout.write('Kafka journey not run: no KAFKA_BROKERS. To run it: npm run kafka -- start --detach\n');

/** One setting each swaps in the real thing; the payment ends the same way. */
describe('the standalone platform on infrastructure of one’s own', () => {
  let folder: string;
  let platform: PlatformProcess | undefined;
  beforeEach(() => (folder = temporaryFolder()));
  afterEach(async () => {
    await platform?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function settlesAndReverses(env: Record<string, string | undefined>, readyLine: string): Promise<void> {
    const home = join(folder, 'home');
    platform = new PlatformProcess({
      home,
      env: { DATABASE_URL: undefined, EVENTS_TRANSPORT: undefined, ...env },
      args: ['--fresh'],
    });
    await platform.untilReady();
    expect(platform.output).toContain(readyLine);
    const { merchant, receiver } = await makeMerchantWithReceiver(new PlatformConnection(home));
    receiver.answer = ({ amount, status }) => (status === 'SUCCESS' && amount === 13 ? 503 : 200);
    const [kept, returned] = [await payNewCode(merchant, '12.00'), await payNewCode(merchant, '13.00')];
    await eventually(async () => expect(await merchant.reversal(kept)).toMatchObject({ state: 'SETTLED' }), 30_000);
    await eventually(async () => expect(await merchant.transaction(returned)).toMatchObject({ status: 'REVERSED' }), 30_000);
    await receiver.stop();
  }

  it('an external PostgreSQL', () => {
    const url = process.env['PAYCODE_TEST_DATABASE_URL']!;
    return settlesAndReverses({ DATABASE_URL: url }, `PostgreSQL at ${new URL(url).host}`);
  });

  (brokers ? it : it.skip)(
    'Kafka',
    () => settlesAndReverses({ EVENTS_TRANSPORT: 'kafka', KAFKA_BROKERS: brokers }, 'events by Kafka'),
    120_000,
  );

  it('says what it cannot reach', async () => {
    platform = new PlatformProcess({
      home: join(folder, 'home'),
      env: { DATABASE_URL: 'postgres://paycode@127.0.0.1:1/postgres' },
    });
    expect(await platform.exited).toBe(1);
    expect(platform.output).toContain('PostgreSQL at 127.0.0.1:1 cannot be used');
  });
});
