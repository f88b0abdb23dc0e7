import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { GatewayUnderTest, type RawConnection, statusesOf } from '../testing/gateway-under-test';
import { openBodyLimitsOf } from './open-bodies';

/** No body is too slow, however busy the machine is. */
const patient = { ...openBodyLimitsOf(262_144), graceMs: 3_600_000 };
const json = 'Content-Type: application/json';
const post = (fields: string, path = '/pluto/code/create') => `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${fields}\r\n\r\n`;
const announced = post(`${json}\r\nContent-Length: 2000`);
const half = `"${'x'.repeat(999)}`;
const otherHalf = `${'x'.repeat(999)}"`;

describe('request bodies that are not complete (T-12)', () => {
  const later = undoneAfterEach();

  async function gatewayWith(limits: Partial<typeof patient>, inFlightMax = 2_000): Promise<GatewayUnderTest> {
    const key = Buffer.alloc(32).toString('base64');
    const openBodies = { ...patient, ...limits };
    const gateway = await GatewayUnderTest.start({ SANDBOX_RELAY_KEY: key }, { openBodies, inFlightMax });
    later(() => gateway.stop());
    return gateway;
  }

  /** A connection from the address, on which the gateway has seen these bytes of a request: `open` bodies are incomplete then. */
  async function begin(
    gateway: GatewayUnderTest,
    bytes: string,
    { from, open }: { from?: string; open: number },
  ): Promise<RawConnection> {
    const connection = await gateway.raw(from);
    later(() => connection.destroy());
    connection.send(bytes);
    await eventually(async () => expect(await openBodies(gateway)).toBe(open));
    return connection;
  }

  const openBodies = (gateway: GatewayUnderTest) => gateway.metric(/^paycode_api_gateway_open_bodies\b/);
  const dropped = (gateway: GatewayUnderTest, reason: string) =>
    gateway.metric(new RegExp(`^paycode_api_gateway_connections_refused_total\\{.*reason="${reason}"`));

  async function finish(connection: RawConnection, rest: string): Promise<number[]> {
    connection.send(rest);
    await eventually(() => expect(statusesOf(connection.received)).not.toEqual([]));
    return statusesOf(connection.received);
  }

  async function expectDropped(connection: RawConnection): Promise<void> {
    const raw = await connection.untilClosed();
    expect(statusesOf(raw)).toEqual([408]);
    expect(raw).toMatch(/^connection: close\r$/im);
    expect(JSON.parse(raw.slice(raw.indexOf('{')))).toMatchObject({
      code: 'REQUEST_TIMEOUT',
      message: 'the body of the request came too slowly',
    });
  }

  it.each([
    ['announced', announced],
    ['chunked', post(`${json}\r\nTransfer-Encoding: chunked`)],
    ['expected with 100-continue', post(`${json}\r\nContent-Length: 2000\r\nExpect: 100-continue`)],
    ['for a relay', post('Content-Type: application/jose\r\nContent-Length: 2000', '/public/relay/x')],
  ])('regression: a body that was %s and does not come is no request in progress, so others are served', async (_name, bytes) => {
    const gateway = await gatewayWith({}, 1);
    const connection = await begin(gateway, bytes, { open: 1 });
    expect((await gateway.post('/pluto/code/create', '{}')).status).toBe(200);
    connection.destroy();
    await eventually(async () => expect(await openBodies(gateway)).toBe(0));
  });

  it('a request whose body is complete counts as in progress, and the next one gets 503 (T-02)', async () => {
    const gateway = await gatewayWith({}, 1);
    const slow = await begin(gateway, announced + half, { open: 1 });
    let release = (): void => undefined;
    gateway.upstream.answer = (_request, response) => (release = () => response.end('{}'));
    const first = gateway.post('/pluto/code/create', '{}');
    await eventually(() => expect(gateway.upstream.seen).toHaveLength(1));
    expect(await finish(slow, otherHalf)).toEqual([503]);
    release();
    expect((await first).status).toBe(200);
  });

  it('many open bodies of one address drop each other, never the one of another address', async () => {
    const gateway = await gatewayWith({ addressBodiesMax: 2 });
    const other = await begin(gateway, announced + half, { from: '127.0.0.9', open: 1 });
    const oldest = await begin(gateway, announced, { open: 2 });
    await begin(gateway, announced, { open: 3 });
    await begin(gateway, announced, { open: 3 });
    await expectDropped(oldest);
    expect(await dropped(gateway, 'body-address-limit')).toBe(1);
    expect(await finish(other, otherHalf)).toEqual([200]);
    expect((await gateway.post('/pluto/code/create', '{}')).status).toBe(200);
  });

  it('when all places are taken the slowest body is dropped, whichever address it is of, and a fast one gets in', async () => {
    const gateway = await gatewayWith({ bodiesMax: 3, settleMs: 1 });
    const first = await begin(gateway, announced + half, { from: '127.0.0.2', open: 1 });
    const slowest = await begin(gateway, `${announced}"`, { from: '127.0.0.3', open: 2 });
    const third = await begin(gateway, announced + half, { from: '127.0.0.4', open: 3 });
    const fast = await gateway.raw('127.0.0.5');
    fast.send(announced + half);
    await expectDropped(slowest);
    expect(await dropped(gateway, 'body-limit')).toBe(1);
    for (const connection of [fast, third, first]) expect(await finish(connection, otherHalf)).toEqual([200]);
  });

  it('a body must keep the lowest rate after the grace; one that comes slowly but above it is served', async () => {
    const gateway = await gatewayWith({ graceMs: 300, bytesPerSMin: 2 });
    const slow = await begin(gateway, announced + half, { open: 1 });
    const trickling = await begin(gateway, `${post(`${json}\r\nTransfer-Encoding: chunked`)}1\r\n"\r\n`, { open: 2 });
    await expectDropped(trickling);
    expect(await dropped(gateway, 'body-slow')).toBe(1);
    expect(await finish(slow, otherHalf)).toEqual([200]);
  });

  it.each([
    ['two of them wait', 2, undefined],
    ['a third one closes its connection', 3, 1],
  ])(
    'regression: bodies that wait behind an unanswered request of their connection are few: %s',
    async (_name, count, refused) => {
      const gateway = await gatewayWith({});
      let release = (): void => undefined;
      gateway.upstream.answer = (_request, response) => (release = () => response.end('{}'));
      const connection = await gateway.raw();
      later(() => connection.destroy());
      connection.send(post('Content-Length: 0'));
      await eventually(() => expect(gateway.upstream.seen).toHaveLength(1));
      gateway.upstream.answer = (_request, response) => response.end('{}');
      connection.send(`${announced}${half}${otherHalf}`.repeat(count));
      if (refused) await connection.untilClosed();
      expect((await gateway.post('/pluto/code/create', '{}')).status).toBe(200);
      release();
      await eventually(() => expect(statusesOf(connection.received)).toEqual(refused ? [] : [200, 200, 200]));
      expect(await dropped(gateway, 'pipelined')).toBe(refused);
    },
  );

  it('bodies that hold too much memory drop the slowest of those that hold some', async () => {
    const gateway = await gatewayWith({ bytesMax: 5_000, settleMs: 1 });
    const empty = await begin(gateway, announced, { from: '127.0.0.2', open: 1 });
    const slowest = await begin(gateway, `${announced}"`, { from: '127.0.0.3', open: 2 });
    const large = await gateway.raw('127.0.0.4');
    large.send(`${post(`${json}\r\nContent-Length: 5000`)}"${'x'.repeat(4_500)}`);
    await expectDropped(slowest);
    expect(await finish(large, `${'x'.repeat(498)}"`)).toEqual([200]);
    expect(await finish(empty, half + otherHalf)).toEqual([200]);
  });
});
