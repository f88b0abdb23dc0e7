import { spawn } from 'node:child_process';
import { createServer as createHttp2Server } from 'node:http2';
import { connect, createServer, type Server } from 'node:net';
import { type DnsAnswer, TestAuthority, TestDnsServer } from '@paycode/safe-http/testing';
import { eventually } from '@paycode/service-runtime/testing';
import type { FaultReceiver } from '../environment/fault-receiver.ts';
import { patienceMs } from '../environment/fault-services.ts';
import { faultSuite } from '../environment/fault-platform.ts';

const names = new Map<string, DnsAnswer | (() => DnsAnswer)>();
const dispatcherEnv: Record<string, string> = { OUTBOUND_DENY: '127.9.9.0/24' };
let nameServer: TestDnsServer;
let authority: TestAuthority;

beforeAll(async () => {
  nameServer = await TestDnsServer.start(name => {
    const answer = names.get(name) ?? 'NXDOMAIN';
    return typeof answer === 'function' ? answer() : answer;
  });
  authority = await TestAuthority.create();
  Object.assign(dispatcherEnv, { OUTBOUND_DNS_SERVERS: nameServer.address, OUTBOUND_CA_FILE: authority.caFile });
});
afterAll(async () => {
  await nameServer.stop();
  authority.remove();
});

/** A listener whose queue of connections is full, so that the kernel drops every further SYN. */
async function deafPort(): Promise<{ port: number; close(): void }> {
  const program = `require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () {
    console.log(this.address().port); process.kill(process.pid, 'SIGSTOP'); });`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<number>(resolve => child.stdout.once('data', text => resolve(Number(text))));
  const fillers = Array.from({ length: 8 }, () => connect({ port, host: '127.0.0.1' }).on('error', () => undefined));
  await eventually(() => expect(fillers.filter(socket => !socket.connecting).length).toBeGreaterThan(1));
  const close = () => {
    for (const socket of fillers) socket.destroy();
    child.kill('SIGKILL');
  };
  return { port, close };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as { port: number }).port;
}

const closed = (server: Server) => new Promise(resolve => server.close(resolve));

faultSuite('the way to a receiver is bad', { dispatcherEnv, times: { connectBudget: 6_000, timerDelay: 10_000 } }, suite => {
  const { faultCase } = suite;

  const allReversed = async (urls: string[]) => {
    const ids: number[] = [];
    for (const url of urls) ids.push(await suite.platform.paidAt(url));
    await Promise.all(ids.map(id => suite.platform.ends(id, 'REVERSED')));
    return ids;
  };
  const outcomes = async (ids: number[]) => {
    const sql = 'select outcome from verdict where transaction_id = any($1) order by transaction_id';
    const rows = await suite.platform.databases.dispatcher.query<{ outcome: string }>('dispatcher', sql, [ids]);
    return rows.map(({ outcome }) => outcome);
  };

  faultCase(31, 'SYN dropped, reset at once, port closed - reversed within the connect budget', async () => {
    const deaf = await deafPort();
    const resetting = createServer(socket => socket.resetAndDestroy());
    const gone = createServer();
    const goneAt = await listening(gone);
    await closed(gone);
    const ports = [deaf.port, await listening(resetting), goneAt];
    const ids = await allReversed(ports.map(port => `http://127.0.0.1:${port}/`));
    expect(await outcomes(ids)).toEqual([
      'CONNECTION: CONNECT_BUDGET',
      expect.stringMatching(/^CONNECTION: (ECONNRESET|UND_ERR_SOCKET)$/),
      'CONNECTION: ECONNREFUSED',
    ]);
    deaf.close();
    await closed(resetting);
  });

  faultCase(32, 'no such name, a name without addresses - reversed; our name server down - held, then settled', async () => {
    const receiver = await suite.platform.receiver();
    names.set('empty.fault.test', []);
    await allReversed([`http://none.fault.test:${receiver.port}/`, `http://empty.fault.test:${receiver.port}/`]);
    names.set('silent.fault.test', 'SILENCE');
    names.set('failing.fault.test', 'SERVFAIL');
    const held = await Promise.all(
      ['silent', 'failing'].map(name => suite.platform.paidAt(`http://${name}.fault.test:${receiver.port}/`)),
    );
    await eventually(async () => {
      const faults = suite.platform.services.dispatchers.map(each =>
        each.metric('paycode_webhook_dispatcher_deliveries_held_back_total{reason="NAME_SERVER"}'),
      );
      expect((await Promise.all(faults)).reduce((sum, count) => sum + count)).toBeGreaterThan(held.length);
    }, patienceMs);
    for (const id of held) expect(await suite.platform.verdict(id)).toBeUndefined();
    for (const name of ['silent', 'failing']) names.set(`${name}.fault.test`, ['127.0.0.1']);
    for (const id of held) await suite.platform.ends(id, 'SETTLED');
  });

  faultCase(33, 'a name that turns inward after it was checked - no packet inside, a connection error', async () => {
    const inside = await suite.platform.receiver({ host: '127.9.9.9' });
    const outside = await suite.platform.receiver();
    outside.behaviour = post => post.write('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    const url = (name: string, { port }: FaultReceiver) => `http://${name}.fault.test:${port}/`;
    let asked = 0;
    names.set('turning.fault.test', () => (asked++ < 2 ? ['127.0.0.1'] : ['127.9.9.9']));
    const merchantId = suite.platform.config.addMerchant(url('turning', outside));
    const [before] = await suite.platform.pay(merchantId);
    await suite.platform.ends(before!, 'SETTLED');
    const [after] = await suite.platform.pay(merchantId);
    await suite.platform.ends(after!, 'REVERSED');
    const inward: DnsAnswer[] = [
      ['127.0.0.1', '127.9.9.9'],
      ['169.254.169.254'],
      ['::ffff:10.0.0.1'],
      ['10.0.0.1'],
      ['127.0.0.1', '::ffff:127.9.9.9'],
    ];
    inward.forEach((answer, at) => names.set(`inward-${at}.fault.test`, answer));
    await allReversed(inward.map((_, at) => url(`inward-${at}`, inside)));
    expect(inside.connections).toBe(0);
    expect(outside.postsOf(before!)).toHaveLength(1);
  });

  faultCase(34, 'a redirect to the metadata address; a URL that hides where it leads - nothing sent there', async () => {
    const outside = await suite.platform.receiver();
    outside.behaviour = post =>
      post.write('HTTP/1.1 302 X\r\nlocation: http://169.254.169.254/latest/\r\ncontent-length: 0\r\n\r\n');
    const inside = await suite.platform.receiver({ host: '127.9.9.9' });
    const hidden = ['http://user:secret@127.9.9.9', 'http://2131298569', 'http://0x7f090909'];
    const [redirected] = await allReversed([outside.url, ...hidden.map(origin => `${origin}:${inside.port}/`)]);
    expect(outside.postsOf(redirected!)).toHaveLength(1);
    expect(inside.connections).toBe(0);
  });

  faultCase(34, 'addHttp of a URL that hides where it leads, or leads inward - refused', async () => {
    const configuration = await suite.platform.services.startConfiguration();
    const { url } = await suite.platform.receiver();
    const merchant = { merchantName: 'Shop', pspId: 1, acquirer: 'Bank', status: 'ACTIVE' };
    await suite.platform.operator(`${configuration.internalUrl}/internal/merchants/7`, merchant, 'PUT');
    const addHttp = async (text: string) => {
      const path = '/portal/restful/merchant/notification/addHttp';
      const request = { service: 'notification-config', method: 'POST', path };
      const headers = { ...suite.platform.identities.signer.headers(request), 'content-type': 'application/json' };
      const body = JSON.stringify({ merchantId: 7, url: text, version: 'V3' });
      return (await fetch(configuration.publicUrl + path, { method: 'POST', headers, body })).status;
    };
    const refused = [
      'http://user:secret@127.0.0.1/',
      'http://[fe80::1%25eth0]/',
      'http://2852039166/latest/',
      'http://0xa9fea9fe/latest/',
      'http://[::ffff:10.0.0.1]/',
      'http://10.0.0.1/',
    ];
    for (const text of refused) expect([text, await addHttp(text)]).toEqual([text, 400]);
    expect(await addHttp(url)).toBe(200);
  });

  faultCase(35, 'a certificate expired, of another host, self-signed; TLS 1.0 only; a stalled handshake - reversed', async () => {
    const host = 'tls.fault.test';
    names.set(host, ['127.0.0.1']);
    const good = await authority.issue({ dns: [host] });
    const settings = [
      await authority.issue({ dns: [host], notAfter: new Date(Date.now() - 3_600_000) }),
      await authority.issue({ dns: ['other.fault.test'] }),
      await TestAuthority.selfSigned({ dns: [host] }),
      { ...good, minVersion: 'TLSv1' as const, maxVersion: 'TLSv1' as const, ciphers: 'DEFAULT@SECLEVEL=0' },
    ];
    const receivers = await Promise.all(settings.map(tls => suite.platform.receiver({ tls })));
    const stalling = await suite.platform.receiver();
    stalling.onConnection = () => true;
    const ids = await allReversed([...receivers, stalling].map(({ port }) => `https://${host}:${port}/`));
    expect(receivers.flatMap(receiver => receiver.posts)).toEqual([]);
    expect(await outcomes(ids)).toContain('CONNECTION: CONNECT_BUDGET');
    const served = await suite.platform.receiver({ tls: good });
    await suite.platform.ends(await suite.platform.paidAt(`https://${host}:${served.port}/`), 'SETTLED');
  });

  faultCase(36, 'a server that speaks HTTP/2 only, in the clear or by ALPN - reversed, not hung', async () => {
    const host = 'h2.fault.test';
    names.set(host, ['127.0.0.1']);
    const clear = createHttp2Server();
    const byAlpn = await suite.platform.receiver({ tls: { ...(await authority.issue({ dns: [host] })), ALPNProtocols: ['h2'] } });
    byAlpn.onConnection = socket => socket.write(Buffer.from('000000040000000000', 'hex'));
    const port = await listening(clear as unknown as Server);
    await allReversed([`http://127.0.0.1:${port}/`, `https://${host}:${byAlpn.port}/`]);
    await closed(clear as unknown as Server);
  });
});
