import fc from 'fast-check';
import { type DialFault, OriginPool, type Pooled } from './origin-pool';
import { InterimResponses } from './origin-connection';

class FakeConnection implements Pooled {
  isUsable = true;
  isDestroyed = false;
  done: (fault?: DialFault) => void = () => undefined;

  connect(done: (fault?: DialFault) => void): void {
    this.done = done;
  }

  destroy(): void {
    this.isDestroyed = true;
  }
}

const refused: DialFault = { code: 'ECONNREFUSED', isOurs: false, isTimeout: false };
const tooSlow: DialFault = { code: 'ETIMEDOUT', isOurs: false, isTimeout: true };

describe('the connections to one endpoint (P-1.9, P-T8)', () => {
  let dials: FakeConnection[];
  let pool: OriginPool<FakeConnection>;
  let slow: boolean[];
  let ended: string[];
  let nowMs: number;
  let dialing: { count: number };

  const open = (isSlow = false) => {
    [dials, slow, ended, nowMs] = [[], [], [], 0];
    const create = () => {
      const connection = new FakeConnection();
      dials.push(connection);
      return connection;
    };
    pool = new OriginPool({
      clock: { nowMs: () => nowMs },
      create,
      dialing,
      isSlow,
      onSlow: is => slow.push(is),
      onLeft: () => undefined,
    });
  };
  beforeEach(() => {
    dialing = { count: 0 };
    open();
  });

  const wait = (name: string) =>
    pool.wait({ connected: () => ended.push(`${name} connected`), failed: ({ code }) => ended.push(`${name} ${code}`) });
  const waitMany = (count: number) => Array.from({ length: count }, (_, at) => wait(String(at)));

  it('four are opened at once, and one more after each that succeeds', () => {
    waitMany(20);
    expect(dials).toHaveLength(4);
    dials[0]!.done();
    expect(dials).toHaveLength(6);
    expect(ended).toEqual(['0 connected']);
  });

  it('at most 32 are opened at once', () => {
    waitMany(500);
    for (let at = 0; at < 100; at++) dials[at]!.done();
    expect(dials).toHaveLength(132);
  });

  it('while 32 are opened to all endpoints, each endpoint opens one at a time', () => {
    dialing.count = 32;
    waitMany(20);
    expect(dials).toHaveLength(1);
    dials[0]!.done();
    expect([dials.length, ended]).toEqual([2, ['0 connected']]);
    dialing.count = 10;
    dials[1]!.done();
    expect([dials.length, dialing.count]).toEqual([8, 15]);
  });

  it('half as many are opened at once when one takes over two seconds', () => {
    waitMany(20);
    nowMs = 2_001;
    for (const dial of dials.slice(0, 3)) dial.done();
    expect(dials).toHaveLength(4);
    dials[3]!.done();
    expect(dials).toHaveLength(5);
  });

  it('one that becomes free serves the delivery that has waited longest', () => {
    waitMany(2);
    pool.keep(new FakeConnection());
    expect(ended).toEqual(['0 connected']);
    dials[0]!.done();
    dials[1]!.done();
    expect([ended, pool.free]).toEqual([['0 connected', '1 connected'], 1]);
  });

  it('each refusal ends the wait of one delivery, unless there is another connection for it', () => {
    waitMany(6);
    pool.keep(new FakeConnection());
    dials[0]!.done(refused);
    expect(ended).toEqual(['0 connected', '1 ECONNREFUSED']);
    open();
    wait('a');
    pool.keep(new FakeConnection());
    dials[0]!.done(refused);
    expect([ended, pool.isEmpty]).toEqual([['a connected'], true]);
  });

  it('a connection that took too long is replaced while a delivery waits', () => {
    wait('a');
    dials[0]!.done(tooSlow);
    expect([ended, dials.length]).toEqual([[], 2]);
  });

  it('the silence of the one connection that is opened is the receiver’s', () => {
    const giveUp = wait('a');
    expect([giveUp(), slow.at(-1)]).toEqual([false, true]);
  });

  it('while several are opened, a wait that was too long is ours; then one is opened at a time', () => {
    const waits = waitMany(5);
    expect(waits.map(giveUp => giveUp())).toEqual([true, true, true, true, true]);
    for (const dial of dials) dial.done(tooSlow);
    const again = waitMany(5);
    expect(dials).toHaveLength(5);
    expect(again.map(giveUp => giveUp())).toEqual([false, false, false, false, false]);
  });

  it('regression: several that were opened may time out before the waits do; the waits are still ours', () => {
    const waits = waitMany(5);
    for (const dial of [...dials]) dial.done(tooSlow);
    expect(dials).toHaveLength(5);
    expect(waits.map(giveUp => giveUp())).toEqual([true, true, true, true, true]);
    dials[4]!.done(tooSlow);
    const giveUp = wait('a');
    expect(giveUp()).toBe(false);
  });

  it('a wait during which the endpoint served others is ours', () => {
    const first = wait('a');
    wait('b');
    pool.keep(new FakeConnection());
    const giveUp = wait('c');
    pool.keep(new FakeConnection());
    dials[1]!.done(tooSlow);
    expect([giveUp(), first()]).toEqual([true, true]);
  });

  it('a slow endpoint gets one at first, and more once it succeeds', () => {
    open(true);
    waitMany(5);
    expect(dials).toHaveLength(1);
    dials[0]!.done();
    expect([dials.length, slow.at(-1)]).toEqual([3, false]);
  });
});

const final = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
const interim = ['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', 'HTTP/1.0 199 X\r\n\r\n'];

function through(chunks: readonly string[]): string {
  const filter = new InterimResponses();
  filter.expectAnswer();
  return chunks.map(chunk => filter.pass(Buffer.from(chunk, 'latin1')).toString('latin1')).join('');
}

describe('interim responses (F-22)', () => {
  it.each(interim)('%j is removed before the final answer', text => {
    expect(through([text + final])).toBe(final);
    expect(through([text, final])).toBe(final);
  });

  it('leaves any final answer as it is, however the bytes are cut', () => {
    const answer = fc.constantFrom(
      final,
      'HTTP/1.1 500 X\r\n\r\nHTTP/1.1 100 no\r\n\r\n',
      'garbage without end',
      'HTTP/1.1 101 Switching\r\n\r\n',
    );
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...interim)), answer, fc.array(fc.nat(200)), (before, text, cuts) => {
        const all = before.join('') + text;
        const points = [0, ...cuts.map(cut => cut % all.length).sort((a, b) => a - b), all.length];
        const chunks = points.slice(1).map((point, n) => all.slice(points[n], point));
        expect(through(chunks)).toBe(text);
      }),
    );
  });

  it('passes nothing on while an interim head is not complete', () => {
    expect(through(['HTTP/1.1 100 Cont'])).toBe('');
  });

  it('gives a head that never ends to the parser, which refuses it', () => {
    const endless = `HTTP/1.1 103 X\r\n${'a: b\r\n'.repeat(3_000)}`;
    expect(through([endless])).toBe(endless);
  });

  it('filters again for the next request only when reset', () => {
    const filter = new InterimResponses();
    filter.expectAnswer();
    filter.pass(Buffer.from(final));
    expect(filter.pass(Buffer.from(interim[0]!)).toString()).toBe(interim[0]);
    filter.expectAnswer();
    expect(filter.pass(Buffer.from(interim[0]!)).toString()).toBe('');
  });
});
