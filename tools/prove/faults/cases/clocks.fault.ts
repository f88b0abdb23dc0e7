import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@paycode/service-runtime/testing';
import { hang } from '../environment/fault-receiver.ts';
import { patienceMs, times } from '../environment/fault-settings.ts';
import { faultSuite } from '../environment/fault-suite.ts';

/** Debian package libfaketime; it shifts the wall clock of a process and does not change the monotonic clock. */
const library = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';
const what = 'the clocks of the hosts step back and forth by an hour, alone and together';
const fileOf = (host: string) => join(tmpdir(), `paycode-faults-clock-${process.pid}-${host}`);
const [dispatchers, others] = [fileOf('dispatchers'), fileOf('others')];

function shift(file: string, offset: string): void {
  writeFileSync(file, `${offset}\n`);
}

const env = {
  LD_PRELOAD: library,
  FAKETIME_TIMESTAMP_FILE: others,
  FAKETIME_CACHE_DURATION: '1',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
};

beforeAll(() => [dispatchers, others].forEach(file => shift(file, '+0')));

const obstacle = existsSync(library) ? undefined : 'libfaketime is not installed (Debian package libfaketime)';

faultSuite('clocks step', { obstacle, env, dispatcherEnv: { FAKETIME_TIMESTAMP_FILE: dispatchers } }, suite => {
  const { faultCase } = suite;
  const shiftAll = (...offsets: [string, string]) => [dispatchers, others].forEach((file, at) => shift(file, offsets[at]!));

  afterEach(() => shiftAll('+0', '+0'));

  faultCase(19, `${what} - no decision changes`, async () => {
    for (const [here, there] of [
      ['+1h', '+1h'],
      ['-1h', '-1h'],
      ['+1h', '-1h'],
      ['-1h', '+0'],
    ] as const) {
      // The payment core refuses it until its clock is right again.
      const paid = () => eventually(() => suite.platform.paidTo(hang), patienceMs);
      const [good, bad] = [await paid(), await paid()];
      await eventually(() => expect(good.receiver.posts.length + bad.receiver.posts.length).toBe(2), patienceMs);
      shiftAll(here, there);
      const posted = good.receiver.posts[0]!;
      await eventually(() => expect(posted.elapsedMs()).toBeGreaterThan(0.6 * times.ackWindow), patienceMs);
      posted.answer(200);
      await eventually(async () => expect(await suite.platform.verdict(good.id)).toBe('ACKED_HTTP'), patienceMs);
      await eventually(async () => expect(await suite.platform.verdict(bad.id)).toBe('CLOSED_TIMEOUT'), patienceMs);
      shiftAll('+0', '+0');
      await suite.platform.ends(good.id, 'SETTLED');
      await suite.platform.ends(bad.id, 'REVERSED');
      expect(good.receiver.posts).toHaveLength(1);
      expect(bad.receiver.postsOf(bad.id)).toHaveLength(1);
    }
  });
});
