import { randomBytes } from 'node:crypto';
import type { ClientRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { gatewayEnv } from '../config/env';
import { forwardingOptionsOf } from '../config/forwarding-options';
import { GatewayUnderTest } from '../testing/gateway-under-test';

type Line = { type: string; id: string; path: string; headers: string[]; body: string };

const heldMax = 64;

describe('the relay of a sandbox (A-78)', () => {
  const later = undoneAfterEach();
  const gateway = GatewayUnderTest.ofSpec({ SANDBOX_RELAY_KEY: randomBytes(32).toString('base64') });
  beforeEach(() => gateway.assertsNames());

  /** A listener; its connection ends with the test. */
  async function listen(account: string, name = 'dev'): Promise<{ lines: Line[]; cut: () => void; path: string }> {
    const lines: Line[] = [];
    const options = { host: 'localhost', port: gateway.port, family: 4, ca: gateway.certificate.cert, agent: false as const };
    const opened: ClientRequest = httpsRequest(
      { ...options, path: `/pluto/relay/${name}`, headers: { authorization: account } },
      response => {
        let rest = '';
        response.setEncoding('utf8').on('data', (text: string) => {
          const parts = (rest + text).split('\n');
          rest = parts.pop()!;
          lines.push(...parts.map(part => JSON.parse(part) as Line));
        });
        response.on('error', () => undefined);
      },
    );
    opened.on('error', () => undefined).end();
    later(() => opened.destroy());
    await eventually(() => expect(lines[0]).toMatchObject({ type: 'open' }));
    return { lines, path: lines[0]!.path, cut: () => void opened.destroy() };
  }
  const notify = (path: string, body = 'AAAA') =>
    gateway.send(path, {
      method: 'POST',
      body,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'x-webhook-attempt': '1' },
    });
  const answer = async (account: string, id: string, status: number) =>
    (await gateway.post('/pluto/relay/dev/answers', JSON.stringify({ id, status }), { authorization: account })).status;
  const leave = (account: string, name = 'dev') =>
    gateway.send(`/pluto/relay/${name}`, { method: 'DELETE', headers: { authorization: account } });
  const notifications = ({ lines }: { lines: Line[] }) => lines.filter(({ type }) => type === 'notification');

  async function heard(listener: { lines: Line[] }, count = 1): Promise<Line[]> {
    await eventually(() => expect(notifications(listener)).toHaveLength(count));
    return notifications(listener);
  }

  it('gives a notification as it came to the listener, and the listener’s status to the sender', async () => {
    const listener = await listen('a');
    const sent = notify(listener.path, 'bm90IEpTT04=');
    const [line] = await heard(listener);
    expect(Buffer.from(line!.body, 'base64').toString()).toBe('bm90IEpTT04=');
    expect(line!.headers).toEqual(
      expect.arrayContaining(['x-webhook-attempt', '1', 'content-type', 'text/plain; charset=utf-8']),
    );
    expect(await answer('a', line!.id, 418)).toBe(204);
    expect((await sent).status).toBe(418);
    expect(gateway.upstream.seen).toEqual([]);
  });

  it('gives the listener no cookie of a browser (T-52)', async () => {
    const listener = await listen('g');
    const headers = { 'content-type': 'text/plain', cookie: '__Host-paycode=secret' };
    const sent = gateway.send(listener.path, { method: 'POST', body: 'AAAA', headers });
    const [line] = await heard(listener);
    expect(line!.headers).toContain('text/plain');
    expect(line!.headers.join().toLowerCase()).not.toMatch(/cookie|secret/);
    expect(await answer('g', line!.id, 200)).toBe(204);
    expect((await sent).status).toBe(200);
  });

  it('after a cut the next connection gets what has no answer yet, under the same URL', async () => {
    const before = await listen('b');
    const sent = notify(before.path);
    const [line] = await heard(before);
    before.cut();
    const after = await listen('b');
    expect(after.path).toBe(before.path);
    expect((await heard(after)).map(({ id }) => id)).toEqual([line!.id]);
    expect(await answer('b', line!.id, 200)).toBe(204);
    expect((await sent).status).toBe(200);
    expect(await answer('b', line!.id, 200)).toBe(410);
  });

  it('one account hears and answers nothing of another', async () => {
    const [mine, other] = [await listen('c'), await listen('d')];
    expect(mine.path).not.toBe(other.path);
    const sent = notify(mine.path);
    const [line] = await heard(mine);
    expect(await answer('d', line!.id, 200)).toBe(410);
    expect(notifications(other)).toEqual([]);
    expect(await answer('c', line!.id, 503)).toBe(204);
    expect((await sent).status).toBe(503);
  });

  it('a listener that leaves lets the sender know at once; then there is no such URL', async () => {
    const listener = await listen('e');
    const sent = notify(listener.path);
    await heard(listener);
    expect((await leave('e')).status).toBe(204);
    expect((await sent).status).toBe(503);
    expect((await notify(listener.path)).status).toBe(404);
  });

  it('holds a bounded number of notifications, and an account has two URLs at most', async () => {
    const listener = await listen('f');
    const held = Array.from({ length: heldMax }, () => notify(listener.path));
    await heard(listener, heldMax);
    expect((await notify(listener.path)).status).toBe(503);
    await listen('f', 'second');
    const third = await gateway.send('/pluto/relay/third', { headers: { authorization: 'f' } });
    expect(third.status).toBe(429);
    await Promise.all([leave('f'), leave('f', 'second')]);
    expect(new Set((await Promise.all(held)).map(({ status }) => status))).toEqual(new Set([503]));
  });

  describe('asks a listener to rehearse', () => {
    const rehearse = (account: string, scenario: unknown) =>
      gateway.post('/pluto/relay/dev/rehearsal', JSON.stringify({ scenario }), { authorization: account });
    const nobodyListens = { status: 404, body: { message: 'nobody listens to this relay now' } };
    const asked = ({ lines }: { lines: Line[] }) => lines.filter(({ type }) => type === 'rehearsal');

    it('that of the account alone', async () => {
      const [mine, other] = [await listen('h'), await listen('i')];
      for (const scenario of ['out-of-order', 'hanging']) expect((await rehearse('h', scenario)).status).toBe(204);
      const both = ['out-of-order', 'hanging'].map(scenario => ({ type: 'rehearsal', scenario }));
      await eventually(() => expect(asked(mine)).toEqual(both));
      expect(asked(other)).toEqual([]);
    });

    it('says so when nobody listens, also while a connection is cut', async () => {
      expect(await rehearse('nobody', 'duplicate')).toMatchObject(nobodyListens);
      const listener = await listen('j');
      listener.cut();
      await eventually(async () => expect(await rehearse('j', 'duplicate')).toMatchObject(nobodyListens));
    });

    it.each([['reversal'], [undefined], [['duplicate']]])('refuses the scenario %j (R-7-6)', async scenario => {
      expect(await rehearse('h', scenario)).toMatchObject({ status: 400, body: { errors: [{ field: 'scenario' }] } });
    });
  });

  it.each([
    [{ id: 1, status: 200 }, 'id'],
    [{ id: 'x', status: 100 }, 'status'],
    [{ id: 'x', status: '200' }, 'status'],
  ])('refuses the answer %j, naming %s (R-7-6)', async (body, field) => {
    const refused = await gateway.post('/pluto/relay/dev/answers', JSON.stringify(body), { authorization: 'a' });
    expect([refused.status, refused.body['errors']]).toMatchObject([400, [{ field }]]);
  });
});

describe('a gateway without SANDBOX_RELAY_KEY, as in production (A-78)', () => {
  const gateway = GatewayUnderTest.ofSpec();

  it('has no relay: its paths are like any other', async () => {
    expect((await gateway.send('/pluto/relay/dev')).status).toBe(404);
    expect(
      (await gateway.send('/public/relay/x', { method: 'POST', body: 'AAAA', headers: { 'content-type': 'text/plain' } })).status,
    ).toBe(415);
  });

  it('does not start with a key in production', () => {
    const files = {
      TLS_CERT_FILE: 'c',
      TLS_KEY_FILE: 'k',
      SERVICE_TOKEN_PRIVATE_KEY_FILE: 'p',
      SERVICE_TOKEN_PUBLIC_KEYS_FILE: 'q',
    };
    const settings = { ...files, SANDBOX_RELAY_KEY: randomBytes(32).toString('base64'), PAYCODE_ENVIRONMENT: 'production' };
    expect(() => forwardingOptionsOf(gatewayEnv.read(settings))).toThrow('SANDBOX_RELAY_KEY is for a sandbox only');
  });
});
