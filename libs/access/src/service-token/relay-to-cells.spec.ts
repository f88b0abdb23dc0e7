import { DomainError } from '@paycode/service-runtime';
import type { InternalClient } from './internal-client';
import { type OtherCell, orElsewhere } from './relay-to-cells';

type Asked = Parameters<InternalClient['ask']>[0];

// proves: P-1.12, the rule by which a request finds the cell that has its payment.
describe('a request about a payment that is not here', () => {
  const asked: (Asked & { cell: string })[] = [];
  beforeEach(() => (asked.length = 0));

  /** A cell that answers so; an Error: it does not. */
  const cell = (name: string, status: number | Error, body: unknown = {}): OtherCell => ({
    name,
    client: {
      ask: async call => {
        asked.push({ ...call, cell: name });
        if (status instanceof Error) throw status;
        const headers = status === 503 ? { 'retry-after': '7' } : {};
        return { status, headers, text: JSON.stringify(body) };
      },
    },
  });
  const missing = async () => {
    throw new DomainError({ status: 404, reason: 'NO_DELIVERY', message: 'Not Found' });
  };
  const ask = async (cells: OtherCell[], { here = missing as () => Promise<unknown>, headers = {} } = {}) => {
    const request = {
      id: 'r-1',
      method: 'POST',
      url: '/internal/x',
      body: { transactionId: 1 },
      headers,
      routeOptions: {},
      raw: {} as never,
    };
    try {
      return await orElsewhere(here, { transactionId: 1, request }, { service: 'webhook-dispatcher', of: () => cells });
    } catch (error) {
      const { status, message, headers: sent } = error as DomainError;
      return { status, message, retryAfter: sent['retry-after'] };
    }
  };

  it('is answered by the first of the others that has it, and by no further one', async () => {
    const answer = await ask([cell('c', 404), cell('b', 200, { found: 'b' }), cell('a', 200, { found: 'a' })]);
    expect([answer, asked.map(call => call.cell)]).toEqual([{ found: 'b' }, ['c', 'b']]);
    expect(asked[0]).toMatchObject({
      method: 'POST',
      path: '/internal/x',
      body: '{"transactionId":1}',
      headers: { 'x-request-id': 'r-1' },
    });
  });

  it('is missing where the answer to a person of the portal says so', async () => {
    const words = { ok: false, status: 404 };
    expect(await ask([cell('b', 200, words), cell('a', 200, { ok: true, value: 1 })], { here: async () => words })).toEqual({
      ok: true,
      value: 1,
    });
    expect(await ask([cell('b', 200, words)], { here: async () => words })).toEqual(words);
  });

  it('is 404 only when every other cell says so; one that fails, or refuses this service, makes it 503', async () => {
    expect(await ask([cell('b', 404), cell('a', 404)])).toMatchObject({ status: 404 });
    for (const status of [new Error('no answer'), 401, 403])
      expect(await ask([cell('b', status), cell('a', 404)])).toEqual({
        status: 503,
        message: 'cell b may have this payment, and cannot be asked now',
        retryAfter: '1',
      });
    expect(await ask([cell('b', new Error('no answer')), cell('a', 200, { found: 'a' })])).toEqual({ found: 'a' });
  });

  it('hands a refusal on with its status, its words and its time to wait', async () => {
    expect(await ask([cell('b', 409, { message: 'not now' })])).toEqual({
      status: 409,
      message: 'not now',
      retryAfter: undefined,
    });
    expect(await ask([cell('b', 503, { message: 'full' })])).toEqual({
      status: 503,
      message: 'full',
      retryAfter: '7',
    });
  });

  it('takes less time than its caller has, and leaves some of it for each cell', async () => {
    await ask([cell('b', 404), cell('a', 404)], { headers: { 'x-deadline-ms': '1000' } });
    const [first, second] = asked.map(({ timeoutMs }) => timeoutMs!) as [number, number];
    expect(first).toBeLessThanOrEqual(400);
    expect(second).toBeLessThanOrEqual(800);
    expect(Math.min(first, second)).toBeGreaterThan(0);
  });

  it('is answered here, and nowhere else, when it fails for another reason', async () => {
    const here = async () => {
      throw new DomainError({ status: 409, reason: 'UNDER_WAY', message: 'under way' });
    };
    expect(await ask([cell('b', 200)], { here })).toMatchObject({ status: 409 });
    expect(asked).toEqual([]);
  });
});
