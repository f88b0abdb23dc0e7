import { Socket } from 'node:net';
import { isOurFault, OutboundGuard } from '@paycode/safe-http';
import { inwardNames, inwardUrls, publicV4, RawReceiver, TestDnsServer } from '@paycode/safe-http/testing';
import { undoneAfterEach } from '@paycode/service-runtime/testing';
import { SystemClock } from '@paycode/service-runtime/timing';
import type { PostFault } from './post-webhook';
import { UndiciWebhookClient } from './undici-webhook.client';

/** No verdict here may result from a late answer of a busy machine. */
const patienceMs = 120_000;
const request = (url: string) => ({ url, headers: {}, body: 'x', onFreshSocket: false });

describe('deliveries to URLs that lead inward (T-11)', () => {
  let dns: TestDnsServer;
  let rebound = false;

  beforeAll(async () => {
    dns = await TestDnsServer.start(name => {
      if (name === 'rebinding.test') return rebound ? ['10.0.0.1'] : ['127.0.0.1'];
      return inwardNames.get(name) ?? [publicV4];
    });
  });
  afterEach(() => jest.restoreAllMocks());
  const later = undoneAfterEach();
  afterAll(() => dns.stop());

  const clientAllowing = (allow: string[]) => {
    const guard = new OutboundGuard({ environment: 'sandbox', allow, dnsServers: [dns.address], lookUpTimeoutMs: patienceMs });
    const connect = guard.connector({ connectTimeoutMs: patienceMs });
    return new UndiciWebhookClient({ connect, isOurFault, clock: new SystemClock() });
  };

  const outcomeOf = (client: UndiciWebhookClient, url: string) =>
    new Promise<number | PostFault>(resolve => {
      let outcome: number | PostFault;
      client.post(request(url), {
        sent: () => undefined,
        answered: status => (outcome = status),
        failed: fault => (outcome = fault),
        done: () => resolve(outcome),
      });
    });

  it('every spelling fails as the receiver’s fault, and nothing is dialled', async () => {
    const dials = jest.spyOn(Socket.prototype, 'connect');
    const client = clientAllowing([]);
    later(() => client.close());
    const passed: string[] = [];
    for (const url of inwardUrls.filter(text => URL.canParse(text))) {
      const outcome = await outcomeOf(client, url);
      if (typeof outcome === 'number' || outcome.code !== 'OUTBOUND_REFUSED' || outcome.isOurs)
        passed.push(`${url} ${JSON.stringify(outcome)}`);
    }
    expect(passed).toEqual([]);
    expect(dials).not.toHaveBeenCalled();
  });

  it('a name that resolved outward is vetted again for every new connection', async () => {
    const receiver = await RawReceiver.start(socket =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
    );
    later(() => receiver.stop());
    const client = clientAllowing(['127.0.0.0/8']);
    later(() => client.close());
    const url = `http://rebinding.test:${receiver.port}/`;
    expect(await outcomeOf(client, url)).toBe(200);
    rebound = true;
    expect(await outcomeOf(client, url)).toMatchObject({ code: 'OUTBOUND_REFUSED', isOurs: false });
    expect(receiver.connections).toBe(1);
  });
});
