import type { EndpointPause, MerchantEndpoint } from '@paycode/dto';
import { notificationOf } from '@paycode/dto/testing';
import { eventually } from '@paycode/service-runtime/testing';
import { dispatcherOf, DispatcherHarness } from '../testing/running-dispatcher';
import { WireReceiver } from '../testing/wire-receiver';

describe('pausing deliveries to an endpoint (A-99)', () => {
  let harness: DispatcherHarness;
  let receiver: WireReceiver;

  beforeEach(async () => {
    [harness, receiver] = await DispatcherHarness.withReceiver();
    await harness.start();
  });
  afterEach(() => harness.close());

  const pause = (body: object = {}, caller?: 'portal') =>
    harness.send('/internal/endpoints/pauses', { merchantId: 1001, durationS: 600, reason: 'server is moved', ...body }, caller);
  const end = async (pauseId: number) =>
    (await harness.send(`/internal/endpoints/pauses/${pauseId}/end`, {})).data as EndpointPause;
  const begun = async (body: object = {}) => (await pause(body)).data as EndpointPause;
  const endpointsOf = async (...merchantIds: number[]) =>
    (await harness.send('/internal/endpoints', { merchantIds })).data as MerchantEndpoint[];
  const posted = () => receiver.requests.map(({ headers }) => Number(headers['x-webhook-transaction-id']));
  /** Every dispatcher of the harness knows it. */
  const known = (count: number) =>
    eventually(() =>
      expect(harness.services.map(each => dispatcherOf(each).pauses.count)).toEqual(harness.services.map(() => count)),
    );

  it('keeps a payment unarmed over a restart with two dispatchers, until somebody resumes; then it is settled (P-I5)', async () => {
    await harness.start();
    const paused = await begun();
    expect(paused).toMatchObject({ endpoint: new URL(receiver.url).origin, reason: 'server is moved', endedAt: null });
    await known(1);
    await harness.publish(harness.terminal(notificationOf(1)), harness.terminal(notificationOf(2)));
    await eventually(async () => expect((await harness.timeline(2))?.attempts).toEqual([]));
    await harness.services[0]!.stop('test');
    harness.services.shift();
    await harness.start();
    await known(1);
    for (const id of [1, 2]) expect(await harness.timeline(id)).toMatchObject({ armedAt: null, attempts: [], verdict: null });
    expect([posted(), harness.neighbours.armed]).toEqual([[], []]);
    expect(await endpointsOf(1001)).toMatchObject([
      { endpoint: new URL(receiver.url).origin, pause: { pauseId: paused.pauseId } },
    ]);
    expect(await end(paused.pauseId)).toMatchObject({ pauseId: paused.pauseId, endedBy: 'operator test-operator' });
    expect(await harness.verdict(1)).toBe('ACKED_HTTP');
    expect(await harness.verdict(2)).toBe('ACKED_HTTP');
    expect(posted().sort()).toEqual([1, 2]);
  });

  it('ends by itself, is over for everybody then, and is no pause that could be ended', async () => {
    const { pauseId } = await begun({ durationS: 2 });
    await harness.publish(harness.terminal(notificationOf(1)));
    expect(await harness.verdict(1)).toBe('ACKED_HTTP');
    const { armedAt } = (await harness.timeline(1))!;
    const [{ endsAt }] = (await harness.operator('get', '/internal/endpoints/pauses')).data as [EndpointPause];
    expect(Date.parse(armedAt!)).toBeGreaterThanOrEqual(Date.parse(endsAt) - 1);
    expect(await endpointsOf(1001)).toMatchObject([{ pause: null }]);
    expect(await harness.send(`/internal/endpoints/pauses/${pauseId}/end`, {})).toMatchObject({ status: 409 });
    expect((await pause()).data).toMatchObject({ message: expect.stringContaining('paused lately') as string });
  });

  it('regression: has an id up to 2^53 - 1, and no larger one (A-57)', async () => {
    const ends = ['9007199254740991', '9007199254740992', '0', 'abc'].map(id =>
      harness.send(`/internal/endpoints/pauses/${id}/end`, {}),
    );
    expect((await Promise.all(ends)).map(({ status }) => status)).toEqual([409, 400, 400, 400]);
  });

  it('is one at a time, whoever asks at once, and rests for B after its end, so that no payment is kept by two', async () => {
    harness.route(1002, receiver.url);
    const both = await Promise.all([pause(), pause({ merchantId: 1002 })]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    const [{ pauseId, endpoint }] = (await harness.operator('get', '/internal/endpoints/pauses')).data as [EndpointPause];
    await end(pauseId);
    expect(await pause()).toMatchObject({ status: 409, data: { message: expect.stringContaining('paused lately') as string } });
    const rested = `update endpoint_pause set paused_at = paused_at - interval '20 minutes', ends_at = ends_at - interval '20 minutes',
      ended_at = ended_at - interval '20 minutes'`;
    await harness.database.dataSource.query(rested);
    expect(await begun()).toMatchObject({ endpoint });
    expect(await harness.send(`/internal/endpoints/pauses/${pauseId}/end`, {})).toMatchObject({ status: 409 });
  });

  it('is on record with the person whom auth-session asserts; an operator is named by the token, and a refusal gives its reason', async () => {
    const asked = { merchantId: 1001, durationS: 60, reason: 'server is moved' };
    const viaPortal = async (operation: string, body: object, actor = 'Ann <ann@x.example>') => {
      const person = { tenantType: 'OPERATOR', tenantId: '', role: 'ON_CALL', actor } as const;
      return (await harness.sendFor(person, `/internal/portal/endpoints/${operation}`, body)).data;
    };
    const answer = (await viaPortal('pause', asked)) as { value: EndpointPause };
    expect(answer).toMatchObject({ ok: true, value: { pausedBy: 'portal Ann <ann@x.example>' } });
    const words = expect.stringMatching(/paused already, until .* by portal Ann/) as string;
    expect(await viaPortal('pause', asked)).toMatchObject({ ok: false, status: 409, message: words });
    const resumed = await viaPortal('resume', { pauseId: answer.value.pauseId }, 'Ben');
    expect(resumed).toMatchObject({ ok: true, value: { endedBy: 'portal Ben' } });
    harness.route(1002, 'https://other.example/hook');
    expect(await begun({ merchantId: 1002 })).toMatchObject({ pausedBy: 'operator test-operator' });
    expect((await pause({ merchantId: 1002 }, 'portal')).status).toBe(403);
  });

  it('refuses a merchant without a URL, a time beyond two thirds of B, and what is no time or no reason', async () => {
    const refused: [object, string][] = [
      [{ merchantId: 1009 }, '409 no URL is set'],
      [{ durationS: 601 }, '400 durationS'],
      [{ durationS: 0 }, '400 durationS'],
      [{ reason: '  ' }, '400 reason'],
      [{ reason: 'one\ntwo' }, '400 reason'],
    ];
    for (const [body, message] of refused) {
      const { status, data } = await pause(body);
      expect(`${status} ${(data as { message: string }).message}`).toContain(message);
    }
    expect((await harness.operator('get', '/internal/endpoints/pauses')).data).toEqual([]);
  });
});
