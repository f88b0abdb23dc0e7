import { eventually } from '@paycode/service-runtime/testing';
import { RunningPortal } from '../testing/running-portal';
import { PaymentWriter } from './payment-writer';

const origin = 'https://pay.example';
const password = 'a password of a test';

/** A browser's event source, as text. */
class Watched {
  text = '';
  isEnded = false;

  constructor(
    response: Response,
    private readonly aborting: AbortController,
  ) {
    void this.read(response);
  }

  get changes(): number {
    return this.text.split('event: change\ndata: {}\n\n').length - 1;
  }

  close(): void {
    this.aborting.abort();
  }

  private async read(response: Response): Promise<void> {
    try {
      for await (const chunk of response.body!) this.text += Buffer.from(chunk as Uint8Array).toString();
    } catch {
      // Ended by `close`.
    }
    this.isEnded = true;
  }
}

describe('a payment that is looked at', () => {
  let portal: RunningPortal;
  let writer: PaymentWriter;
  const open: Watched[] = [];
  beforeAll(async () => {
    portal = await RunningPortal.start();
    writer = portal.service.app.get(PaymentWriter);
    await writer.terminals(
      [1, 2, 3].map(transactionId => ({
        transactionId,
        merchantId: transactionId === 3 ? 8 : 7,
        kind: 'PURCHASE',
        status: 'SUCCESS',
        referenceTransactionId: 0,
        completedAt: new Date().toISOString(),
        amount: '1',
        currencyCode: 'ZAR',
        reference: 'order',
        code: null,
        tipAmount: null,
      })),
    );
  });
  afterEach(() => open.splice(0).forEach(watched => watched.close()));
  afterAll(() => portal.stop());

  const signIn = async (email: string) => {
    const person = { email, password, name: 'P', tenantType: 'MERCHANT', tenantId: '7', role: 'VIEWER' };
    const headers = { 'content-type': 'application/json', origin, 'sec-fetch-site': 'same-origin' };
    const made = await fetch(`${portal.internalUrl}/internal/people`, {
      method: 'POST',
      headers: { ...headers, ...portal.operatorHeaders() },
      body: JSON.stringify(person),
    });
    expect(made.status).toBe(201);
    const begun = await fetch(`${portal.publicUrl}/console/api/session`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ email, password }),
    });
    return { origin, cookie: begun.headers.getSetCookie()[0]!.split(';', 1)[0]! };
  };
  const watch = async (transactionId: number, headers: Record<string, string>) => {
    const aborting = new AbortController();
    const response = await fetch(`${portal.publicUrl}/console/api/payments/${transactionId}/changes`, {
      headers: { cookie: headers['cookie']! },
      signal: aborting.signal,
    });
    if (response.status !== 200) return response.status;
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const watched = new Watched(response, aborting);
    open.push(watched);
    return watched;
  };
  const watchOf = async (transactionId: number, headers: Record<string, string>) => {
    const watched = await watch(transactionId, headers);
    if (typeof watched === 'number') throw new Error(`watching answered ${watched}`);
    return watched;
  };

  it('tells of it at once and of each change, not of changes of another', async () => {
    const headers = await signIn('one@x.example');
    const [first, second] = [await watchOf(1, headers), await watchOf(2, headers)];
    await eventually(() => expect([first.changes, second.changes]).toEqual([1, 1]));
    const ack = { merchantId: 7, source: 'WEBHOOK', attempt: 1, elapsedMs: 5, acknowledgedAt: new Date().toISOString() } as const;
    await writer.acks([{ ...ack, transactionId: 2 }]);
    await eventually(() => expect(second.changes).toBe(2));
    expect(first.changes).toBe(1);
  });

  it('is told to nobody who may not see it (T-24), nor without a session (T-52)', async () => {
    const headers = await signIn('two@x.example');
    expect([await watch(3, headers), await watch(99, headers), await watch(1, { cookie: '' })]).toEqual([404, 404, 401]);
  });

  it('has an id of decimal digits in the path: any other text is refused', async () => {
    const headers = await signIn('six@x.example');
    const statusOf = async (id: string) => (await fetch(`${portal.publicUrl}/console/api/payments/${id}`, { headers })).status;
    const answers = await Promise.all(['1', '01', '1e0', '0x1', '+1', '0', 'x', '9007199254740992'].map(statusOf));
    expect(answers).toEqual([200, 400, 400, 400, 400, 400, 400, 400]);
  });

  it('ends with the session that looks', async () => {
    const headers = await signIn('three@x.example');
    const watched = await watchOf(1, headers);
    await eventually(() => expect(watched.changes).toBe(1));
    const ended = await fetch(`${portal.publicUrl}/console/api/session`, { method: 'DELETE', headers });
    expect(ended.status).toBe(204);
    await eventually(() => expect(watched.isEnded).toBe(true));
  });

  it('is looked at four times at once by one person; a closed page makes room, and others have theirs', async () => {
    const [headers, others] = [await signIn('four@x.example'), await signIn('five@x.example')];
    const watched = await Promise.all([1, 1, 2, 2].map(id => watchOf(id, headers)));
    expect(await watch(1, headers)).toBe(429);
    expect(await watch(1, others)).toBeInstanceOf(Watched);
    watched[0]!.close();
    await eventually(async () => expect(await watch(1, headers)).toBeInstanceOf(Watched));
  });
});
