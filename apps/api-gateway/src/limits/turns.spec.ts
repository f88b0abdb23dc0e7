import { Turns } from './turns';

/** proves: T-02 */
describe('turns of requests to a service', () => {
  const limits = { atOnceMax: 1, waitingMax: 2, waitMsMax: 1_000 };
  const order: string[] = [];
  let turns: Turns;
  beforeEach(() => {
    jest.useFakeTimers();
    order.splice(0);
    turns = new Turns(limits);
  });
  afterEach(() => jest.useRealTimers());

  const begun = (name: string, { isFirst = false, signal = new AbortController().signal } = {}) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const run = turns.run(() => (order.push(name), promise), { isFirst, signal });
    // A test that expects the refusal awaits `run`.
    run.catch(() => undefined);
    return { run, end: resolve };
  };
  const microtasks = () => jest.advanceTimersByTimeAsync(0);

  it('what ends a payment goes before what begins one, and each in the order of arrival', async () => {
    const running = begun('running');
    const waiting = [begun('code 1'), begun('code 2'), begun('pay 1', { isFirst: true }), begun('pay 2', { isFirst: true })];
    for (const each of [running, ...waiting]) each.end();
    await Promise.all(waiting.map(({ run }) => run));
    expect(order).toEqual(['running', 'pay 1', 'pay 2', 'code 1', 'code 2']);
  });

  it('a full queue refuses at once, and does not keep a payment out', async () => {
    const running = begun('running');
    const waiting = [begun('code 1'), begun('code 2')];
    await expect(begun('code 3').run).rejects.toMatchObject({
      status: 503,
      reason: 'OVERLOADED',
      headers: { 'retry-after': '1' },
    });
    const payment = begun('pay', { isFirst: true });
    for (const each of [running, payment, ...waiting]) each.end();
    await Promise.all(waiting.map(({ run }) => run));
    expect(order).toEqual(['running', 'pay', 'code 1', 'code 2']);
  });

  it('a request whose turn does not come in time is refused, and one whose client has gone is dropped; no turn is lost', async () => {
    const running = begun('running');
    const [late, gone] = [begun('late'), new AbortController()];
    await jest.advanceTimersByTimeAsync(500);
    const left = begun('left', { signal: gone.signal });
    gone.abort(new Error('gone'));
    await expect(left.run).rejects.toThrow('gone');
    const inTime = begun('in time');
    await jest.advanceTimersByTimeAsync(600);
    await expect(late.run).rejects.toMatchObject({ reason: 'OVERLOADED' });
    running.end();
    await microtasks();
    inTime.end();
    await inTime.run;
    const next = begun('next');
    next.end();
    await next.run;
    expect(order).toEqual(['running', 'in time', 'next']);
  });

  it('a request that fails passes its turn on', async () => {
    const failing = turns.run(() => Promise.reject(new Error('broken')), {
      isFirst: false,
      signal: new AbortController().signal,
    });
    const next = begun('next');
    next.end();
    await expect(failing).rejects.toThrow('broken');
    await next.run;
    expect(order).toEqual(['next']);
  });
});

/** A service with one worker, and customers that make a code, pay it, wait 5 s for each answer and repeat what fails. */
describe('a storm of repeats', () => {
  const serviceMs = 50;
  const capacity = 1_000 / serviceMs;
  const timeoutMs = 5_000;
  /** Between the code and its payment, so that others take the place that the code had. */
  const thinkMs = 600;
  const patience = 3;
  const forMs = 20_000;
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());
  let seed = 1;
  /** From 0 to 1, the same in every run. */
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

  /** Payments per second in the second half of an open loop. A service does what it was sent, also when nobody waits any more. */
  async function goodput(factor: number, turns: Pick<Turns, 'run'>): Promise<number> {
    let [freeAtMs, paid] = [Date.now(), 0];
    const [fromMs, untilMs] = [Date.now() + forMs / 2, Date.now() + forMs];
    const serve = async (signal: AbortSignal) => {
      freeAtMs = Math.max(freeAtMs, Date.now()) + serviceMs;
      await pause(freeAtMs - Date.now());
      signal.throwIfAborted();
    };
    const call = async (isFirst: boolean): Promise<boolean> => {
      for (let tries = 0; tries < patience; tries++) {
        const gone = new AbortController();
        const timer = setTimeout(() => gone.abort(new Error('gone')), timeoutMs);
        const { signal } = gone;
        const isDone = await turns
          .run(() => serve(signal), { isFirst, signal })
          .then(
            () => true,
            () => false,
          );
        clearTimeout(timer);
        if (isDone) return true;
        await pause(2_000 * random());
      }
      return false;
    };
    const pay = async () => {
      const isPaid = (await call(false)) && (await pause(thinkMs * random()), await call(true));
      if (isPaid && Date.now() >= fromMs && Date.now() < untilMs) paid += 1;
    };
    for (; Date.now() < untilMs; await jest.advanceTimersByTimeAsync(serviceMs / factor)) void pay();
    await jest.advanceTimersByTimeAsync(timeoutMs);
    jest.clearAllTimers();
    return (paid * 1_000) / (untilMs - fromMs);
  }

  const limits = { atOnceMax: 128, waitingMax: 512, waitMsMax: 1_000 };
  const ordered = () => new Turns(limits);
  const unordered = () => {
    const turns = new Turns(limits);
    return {
      run: <T>(work: () => Promise<T>, { signal }: { signal: AbortSignal }) => turns.run(work, { isFirst: false, signal }),
    };
  };
  const everythingAtOnce = () => ({ run: <T>(work: () => Promise<T>) => work() });

  it.each([
    ['keeps the payments of a service whose requests have turns', ordered, [0.9, 1.1]],
    ['takes many of them when a payment has no precedence', unordered, [0, 0.7]],
    ['takes nearly all of them when everything begins at once', everythingAtOnce, [0, 0.1]],
  ] as const)('ten times of what a service can take %s', async (_rule, made, [least, most]) => {
    const peak = await goodput(0.5, made());
    expect(peak).toBeGreaterThan(capacity * 0.45);
    const share = (await goodput(10, made())) / peak;
    expect(share).toBeGreaterThanOrEqual(least);
    expect(share).toBeLessThanOrEqual(most);
  });
});
