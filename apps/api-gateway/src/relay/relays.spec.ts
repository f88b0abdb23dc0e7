import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Relays } from './relays';

describe('relays of a sandbox (A-78)', () => {
  let relays: Relays;
  beforeEach(() => {
    const minuteMs = 60_000;
    relays = new Relays({ key: randomBytes(32), holdMs: minuteMs, awayMs: minuteMs, heartbeatMs: minuteMs, streamMs: minuteMs });
  });
  afterEach(async () => {
    relays.close();
    // A stream that a test destroyed ends with an error.
    await Promise.all(streams.splice(0).map(stream => finished(stream).catch(() => undefined)));
  });

  const streams: Readable[] = [];
  const listens = (account: string, name: string) => {
    const stream = relays.listen({ account, name }, '/hook')?.resume();
    if (stream) streams.push(stream);
    return stream;
  };
  const eightTakeAll = () => {
    for (let at = 0; at < 8; at++) for (const name of ['one', 'two']) expect(listens(`merchant-${at}`, name)).toBeDefined();
  };

  it('regression: accounts that have two each leave one for every other, up to sixteen accounts (T-12)', () => {
    eightTakeAll();
    for (let at = 8; at < 16; at++) expect(listens(`merchant-${at}`, 'one')).toBeDefined();
    expect(listens('merchant-16', 'one')).toBeUndefined();
    expect(listens('merchant-15', 'two')).toBeUndefined();
    expect(listens('merchant-0', 'one')).toBeDefined();
  });

  it('regression: one whose listener is away makes room at once', async () => {
    eightTakeAll();
    const stream = listens('merchant-3', 'one')!;
    const isClosed = new Promise(resolve => stream.once('close', resolve));
    stream.destroy();
    await isClosed;
    expect(listens('merchant-4', 'three')).toBeUndefined();
    expect(listens('merchant-8', 'one')).toBeDefined();
    expect(relays.rehearse({ account: 'merchant-3', name: 'one' }, 'SLOW')).toBe(false);
    expect(relays.rehearse({ account: 'merchant-7', name: 'two' }, 'SLOW')).toBe(true);
  });
});
