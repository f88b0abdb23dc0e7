import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testBrokers } from '@paycode/events/testing';
import { payloadKeys, SimulatorUnderTest } from './testing/simulator-under-test';

const root = join(__dirname, '../../..');
const brokers = testBrokers();
const notRun = brokers ? '' : ' (not run: no KAFKA_BROKERS)';
const limitMs = 240_000;

interface Result {
  code: number;
  output: string;
  complaints: string;
}

(brokers ? describe : describe.skip)(`the simulator as a payment core${notRun}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'core-contract-'));
  let simulator: SimulatorUnderTest;
  beforeAll(async () => {
    simulator = await SimulatorUnderTest.start({ EVENTS_TRANSPORT: 'kafka', KAFKA_BROKERS: brokers!.join() });
    simulator.config.merchant(1001);
    writeFileSync(join(folder, 'token'), simulator.operatorToken);
    writeFileSync(join(folder, 'keys'), payloadKeys);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await simulator?.stop();
  });

  const check = (core: string): Promise<Result> => {
    const files = ['--token-file', join(folder, 'token'), '--payload-keys-file', join(folder, 'keys')];
    const words = ['--core', core, '--kafka', brokers!.join(), '--merchant', '1001', '--within', '120', '--json', ...files];
    // As the script of package.json: kafkajs 2.2.4 arms timers in the past (tulios/kafkajs#1751).
    const args = ['--disable-warning=TimeoutNegativeWarning', join(root, 'tools/run.cjs'), 'prove', 'core', ...words];
    return new Promise(resolve => {
      execFile(process.execPath, args, { cwd: root, timeout: limitMs }, (error, stdout, stderr) =>
        resolve({
          code: typeof error?.code === 'number' ? error.code : Number(error !== null),
          output: stdout,
          complaints: stderr,
        }),
      );
    });
  };

  describe('as in R-2.5-10, A-57, P-I2, T-16, T-27, T-29', () => {
    it('passes the kit for payment cores, on a real broker', async () => {
      const { code, output, complaints } = await check(simulator.internalUrl);
      expect(complaints).toBe('');
      const { checks } = JSON.parse(output) as { checks: { id: string; verdict: string; reason: string }[] };
      expect(checks.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
      expect([checks.length > 10, code]).toEqual([true, 0]);
    });
  });

  it('the kit ends with 3 when nobody answers', async () => {
    const { code, complaints } = await check('http://127.0.0.1:1');
    expect([code, complaints]).toEqual([3, expect.stringContaining('no answer (ECONNREFUSED)')]);
  });
});
