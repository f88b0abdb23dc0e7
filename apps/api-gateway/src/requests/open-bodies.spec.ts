import { OpenBodies, type OpenBodyLimits, openBodyLimitsOf } from './open-bodies';

const usual = openBodyLimitsOf(262_144);

describe('the budgets of request bodies that are not complete (T-12)', () => {
  let dropped: string[];
  let reasons: string[];
  let lines: unknown[];
  let bodies: OpenBodies;

  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  function withLimits(limits: Partial<OpenBodyLimits>): void {
    [dropped, reasons, lines] = [[], [], []];
    const metrics = { connectionRefused: (reason: string) => void reasons.push(reason), bodiesOpen: () => undefined };
    bodies = new OpenBodies({ ...usual, ...limits }, metrics, { warn: (...line: unknown[]) => void lines.push(line) });
  }
  const open = (name: string, address = name) =>
    bodies.open(address, { bytesMax: 262_144, onDropped: () => void dropped.push(name) });
  const send = (body: ReturnType<typeof open>, bytes: number) => bodies.add(body, Buffer.alloc(bytes, 'x'));

  it('the addresses of a /64 share one budget', () => {
    withLimits({ addressBodiesMax: 2 });
    for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1', '192.0.2.1', '2001:db8::3']) open(address);
    expect([dropped, reasons]).toEqual([['2001:db8::1'], ['body-address-limit']]);
  });

  it('bodies that trickle just above the lowest rate make room for a new one, which nothing has come of yet', () => {
    withLimits({ bodiesMax: 3 });
    const [a, b, c] = [open('a'), open('b'), open('c')];
    send(a, 1_100);
    send(b, 1_000);
    send(c, 1_200);
    jest.advanceTimersByTime(1_500);
    const honest = open('honest');
    expect(dropped).toEqual(['b']);
    send(honest, 100);
    expect(bodies.close(honest)).toEqual(Buffer.alloc(100, 'x'));
  });

  it('when every body is new the oldest makes room, so that each has the same time', () => {
    withLimits({ bodiesMax: 2 });
    for (const name of ['a', 'b', 'c', 'd']) open(name);
    expect(dropped).toEqual(['a', 'b']);
  });

  it('a body that does not come is dropped after the grace, not before; one at the lowest rate stays', () => {
    withLimits({});
    open('silent');
    const slow = open('slow');
    const sendFor = (seconds: number) => {
      for (let n = 0; n < seconds; n++) {
        send(slow, 550);
        jest.advanceTimersByTime(1_000);
      }
    };
    sendFor(4);
    expect(dropped).toEqual([]);
    sendFor(16);
    expect([dropped, reasons]).toEqual([['silent'], ['body-slow']]);
    expect(bodies.close(slow)).toHaveLength(11_000);
  });

  it('chunks of one byte take no more memory than the body doubled', () => {
    withLimits({ bytesMax: 5_000 });
    const body = open('a');
    for (let n = 0; n < 2_048; n++) send(body, 1);
    expect(body.heldBytes).toBe(2_048);
    send(body, 1);
    expect(body.heldBytes).toBe(4_096);
    expect(dropped).toEqual([]);
  });

  it('a dropped body frees its memory at once, and takes nothing more', () => {
    withLimits({ addressBytesMax: 4_096 });
    const [first, second] = [open('first', 'a'), open('second', 'a')];
    send(first, 3_000);
    send(second, 2_000);
    expect(dropped).toEqual(['first']);
    send(first, 3_000);
    expect([first.heldBytes, second.heldBytes]).toEqual([0, 2_000]);
    expect(bodies.close(first)).toHaveLength(0);
    expect(bodies.close(second)).toHaveLength(2_000);
  });

  it('closed bodies leave nothing behind: no address, no timer', () => {
    withLimits({});
    const body = open('a');
    send(body, 1);
    expect(jest.getTimerCount()).toBe(1);
    bodies.close(body);
    bodies.close(body);
    expect([jest.getTimerCount(), bodies]).toEqual([0, expect.objectContaining({ byAddress: new Map() })]);
  });

  it('full budgets write one line a minute', () => {
    withLimits({ bodiesMax: 1 });
    for (let n = 0; n < 50; n++) open(`192.0.2.${n}`);
    expect([dropped.length, lines.length]).toEqual([49, 1]);
    jest.advanceTimersByTime(60_000);
    open('a');
    open('b');
    expect(lines).toHaveLength(2);
  });
});
