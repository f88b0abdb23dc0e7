import { gzipSync } from 'node:zlib';
import type { TlsOptions } from 'node:tls';
import { eventually } from '@paycode/service-runtime/testing';
import { OutboundGuard } from '../outbound-guard';
import type { OutboundPolicy } from '../policy/outbound-policy';
import { answering, type RawBehaviour, RawReceiver, spellingsRefused, TestAuthority } from '../testing';
import type { ProbeOutcome } from './probe-outcome';
import { type ProbeLimits, UrlProber } from './url-prober';

/** For probes that the receiver's action ends, however slow the machine is. */
const limits = { totalMs: 120_000, connectMs: 120_000, bodyBytesMax: 1_024 };
/** For probes that end by their own limit, whatever the receiver does. */
const shortMs = 1_500;

const dayMs = 86_400_000;
const zippedZeros = gzipSync(Buffer.alloc(50_000_000));

describe('the probe', () => {
  let authority: TestAuthority;
  let receiver: RawReceiver | undefined;

  beforeAll(async () => {
    authority = await TestAuthority.create();
  });
  afterEach(async () => {
    await eventually(() => expect(receiver?.open ?? 0).toBe(0));
    await receiver?.stop();
    receiver = undefined;
  });
  afterAll(() => authority.remove());

  async function probe(
    behaviour: RawBehaviour,
    options: { tls?: TlsOptions; policy?: Partial<OutboundPolicy>; limits?: ProbeLimits; path?: string } = {},
  ): Promise<ProbeOutcome> {
    receiver = await RawReceiver.start(behaviour, options.tls);
    const policy: OutboundPolicy = {
      environment: 'sandbox',
      allow: ['127.0.0.0/8'],
      caFile: authority.caFile,
      ...options.policy,
    };
    const prober = new UrlProber(new OutboundGuard(policy), 'paycode-test/1');
    const url = `${options.tls ? 'https' : 'http'}://127.0.0.1:${receiver.port}${options.path ?? '/hook'}`;
    return prober.probe(url, { result: 'TEST' }, options.limits ?? limits);
  }

  const onlySuite = async (ciphers: string): Promise<TlsOptions> => ({
    ...(await authority.issue({ ips: ['127.0.0.1'] })),
    maxVersion: 'TLSv1.2',
    ciphers,
  });

  /** Probes with an ever longer limit until the receiver got some bytes: only then was the receiver late, and not the machine. */
  async function probeUntilHeard(probeFor: (ms: number) => Promise<ProbeOutcome>, ms = shortMs): Promise<ProbeOutcome> {
    const outcome = await probeFor(ms);
    return receiver!.received.length > 0 || ms > limits.totalMs ? outcome : probeUntilHeard(probeFor, 4 * ms);
  }

  describe('as in R-2.6-1, R-6.1-2, A-50', () => {
    it.each(['/hook?q=\'x\'&n="y"', '/it\'s/a"b"', `/a/../b?x='"`])(
      'regression: sends the quotes of %s as they stand in the URL',
      async path => {
        expect((await probe(answering(200), { path })).isAccepted).toBe(true);
        expect(receiver!.received.join('')).toContain(`POST ${path.replace('/a/..', '')} HTTP/1.1`);
      },
    );

    it('POSTs {"result":"TEST"} as plain application/json', async () => {
      const outcome = await probe(answering(200, 'fine'));
      expect(outcome).toMatchObject({ isAccepted: true, reason: null, detail: null, status: 200, certificateExpiresAt: null });
      const [head, body] = receiver!.received.join('').split('\r\n\r\n');
      expect(body).toBe('{"result":"TEST"}');
      expect(head).toMatch(/^POST \/hook HTTP\/1.1\r\n/);
      expect(head!.toLowerCase()).toContain('content-type: application/json');
      expect(head).toContain('paycode-test/1');
    });
  });

  it('over TLS, gives the times of each step and the expiry of the certificate (R-4.3-15)', async () => {
    const notAfter = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 30 * dayMs);
    const outcome = await probe(answering(200), { tls: await authority.issue({ ips: ['127.0.0.1'], notAfter }) });
    const time: unknown = expect.any(Number);
    expect(outcome).toMatchObject({
      isAccepted: true,
      certificateExpiresAt: notAfter.toISOString(),
      timings: { dnsMs: time, connectMs: time, tlsMs: time, firstByteMs: time, totalMs: time },
    });
  });

  it.each([
    [405, 'did not accept POST', 'POST_NOT_ACCEPTED'],
    [501, 'did not accept POST', 'POST_NOT_ACCEPTED'],
    [201, 'did not return 200', 'STATUS_NOT_200'],
    [404, 'did not return 200', 'STATUS_NOT_200'],
    [500, 'did not return 200', 'STATUS_NOT_200'],
  ])('status %d is "%s" (R-4.3-8, R-7-7)', async (status, reason, detail) => {
    expect(await probe(answering(status))).toMatchObject({ isAccepted: false, status, reason, detail });
  });

  it.each(spellingsRefused)('an answer with %s is no answer (A-111)', async (_, answer) => {
    expect(await probe(socket => void socket.end(answer, 'latin1'))).toMatchObject({
      isAccepted: false,
      detail: 'ANSWER_NOT_HTTP',
    });
  });

  it('a redirect is not followed (A-08, T-11)', async () => {
    const outcome = await probe(socket =>
      socket.end('HTTP/1.1 307 X\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n'),
    );
    expect(outcome).toMatchObject({ status: 307, reason: 'did not return 200' });
    expect(receiver!.connections).toBe(1);
  });

  const drip = (socket: import('node:net').Socket, start: string, piece: string) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(piece), 20);
    socket.once('close', () => clearInterval(timer));
  };
  const silent: RawBehaviour = () => undefined;

  it.each<[string, RawBehaviour, Partial<ProbeOutcome>]>([
    ['no answer', silent, { detail: 'NO_ANSWER_IN_TIME', reason: 'did not return 200' }],
    ['dripped headers', s => drip(s, 'HTTP/1.1 200 OK\r\n', 'x: y\r\n'), { detail: 'NO_ANSWER_IN_TIME' }],
    ['interim answers without end', s => drip(s, '', 'HTTP/1.1 103 Hints\r\n\r\n'), { detail: 'NO_ANSWER_IN_TIME' }],
    ['giant headers', s => s.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`), { detail: 'HEADERS_TOO_LARGE' }],
    ['something that is not HTTP', s => s.end('220 smtp.example ESMTP\r\n'), { detail: 'ANSWER_NOT_HTTP' }],
    ['half-closed', s => s.end(), { detail: 'CONNECTION_CLOSED', reason: 'did not return 200' }],
    ['reset', s => s.resetAndDestroy(), { detail: 'CONNECTION_CLOSED' }],
    ['endless body after 200', s => drip(s, 'HTTP/1.1 200 OK\r\n\r\n', 'z'.repeat(600)), { isAccepted: true, status: 200 }],
    ['dripped body after 200', s => drip(s, 'HTTP/1.1 200 OK\r\n\r\n', 'z'.repeat(10)), { isAccepted: true, status: 200 }],
    [
      '1000:1 gzip after 200',
      s => s.write(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n'), zippedZeros])),
      { isAccepted: true },
    ],
  ])('a receiver with %s is reported, and its connection ended (T-12)', async (_name, behaviour, expected) => {
    const heapBefore = process.memoryUsage().heapUsed + process.memoryUsage().external;
    const isLate = expected.detail === 'NO_ANSWER_IN_TIME';
    const probeFor = async (totalMs: number) => {
      await receiver?.stop();
      return probe(behaviour, { limits: { ...limits, totalMs } });
    };
    expect(await (isLate ? probeUntilHeard(probeFor) : probe(behaviour))).toMatchObject(expected);
    expect(process.memoryUsage().heapUsed + process.memoryUsage().external - heapBefore).toBeLessThan(80_000_000);
  });

  it.each<[string, () => Promise<TlsOptions>, string]>([
    ['a wrong name', () => authority.issue({ dns: ['other.test'] }), 'CERTIFICATE_NAME_MISMATCH'],
    [
      'an expired certificate',
      () =>
        authority.issue({
          ips: ['127.0.0.1'],
          notBefore: new Date(Date.now() - 2 * dayMs),
          notAfter: new Date(Date.now() - dayMs),
        }),
      'CERTIFICATE_EXPIRED',
    ],
    [
      'a certificate of tomorrow',
      () =>
        authority.issue({
          ips: ['127.0.0.1'],
          notBefore: new Date(Date.now() + dayMs),
          notAfter: new Date(Date.now() + 2 * dayMs),
        }),
      'CERTIFICATE_NOT_YET_VALID',
    ],
    ['a self-signed certificate', () => TestAuthority.selfSigned({ ips: ['127.0.0.1'] }), 'CERTIFICATE_SELF_SIGNED'],
    [
      'TLS 1.0 only',
      async () => ({
        ...(await authority.issue({ ips: ['127.0.0.1'] })),
        minVersion: 'TLSv1',
        maxVersion: 'TLSv1',
        ciphers: 'DEFAULT:@SECLEVEL=0',
      }),
      'TLS_VERSION_TOO_OLD',
    ],
    [
      'TLS 1.1 only',
      async () => ({
        ...(await authority.issue({ ips: ['127.0.0.1'] })),
        minVersion: 'TLSv1.1',
        maxVersion: 'TLSv1.1',
        ciphers: 'DEFAULT:@SECLEVEL=0',
      }),
      'TLS_VERSION_TOO_OLD',
    ],
    [
      'TLS 1.3 and a demand for a client certificate',
      async () => ({ ...(await authority.issue({ ips: ['127.0.0.1'] })), minVersion: 'TLSv1.3', requestCert: true }),
      'CLIENT_CERTIFICATE_DEMANDED',
    ],
    ['TLS 1.2 with CBC only', () => onlySuite('ECDHE-ECDSA-AES128-SHA256'), 'TLS_FAILED'],
    ['TLS 1.2 with a short tag only', () => onlySuite('ECDHE-ECDSA-AES128-CCM8'), 'TLS_FAILED'],
  ])('a receiver with %s is not reachable, and gets no request (T-13, A-81)', async (_name, tls, detail) => {
    expect(await probe(answering(200), { tls: await tls() })).toMatchObject({
      isAccepted: false,
      reason: 'not reachable',
      detail,
    });
    expect(receiver!.received).toEqual([]);
  });

  it.each(['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-ECDSA-CHACHA20-POLY1305'])(
    'a receiver that has only TLS 1.2 with %s is reached; with TLS 1.3 demanded, it is too old (A-81)',
    async suite => {
      const tls = await onlySuite(suite);
      expect(await probe(answering(200), { tls })).toMatchObject({ isAccepted: true });
      await receiver!.stop();
      expect(await probe(answering(200), { tls, policy: { tlsMinVersion: 'TLSv1.3' } })).toMatchObject({
        reason: 'not reachable',
        detail: 'TLS_VERSION_TOO_OLD',
      });
    },
  );

  it('an authority that is not configured is not trusted, whatever NODE_TLS_REJECT_UNAUTHORIZED says (T-13)', async () => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const tls = await authority.issue({ ips: ['127.0.0.1'] });
      const outcome = await probe(answering(200), { tls, policy: { caFile: null } });
      expect(outcome).toMatchObject({ reason: 'not reachable', detail: 'CERTIFICATE_NOT_TRUSTED' });
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
  });

  it('a receiver that accepts TCP and never speaks TLS is disconnected when the connect budget ends (T-12)', async () => {
    receiver = await RawReceiver.start(silent);
    const guard = new OutboundGuard({ environment: 'sandbox', allow: ['127.0.0.0/8'] });
    const url = `https://127.0.0.1:${receiver.port}`;
    const outcome = await probeUntilHeard(connectMs =>
      new UrlProber(guard, 'x').probe(url, { result: 'TEST' }, { ...limits, connectMs }),
    );
    expect(outcome).toMatchObject({ reason: 'not reachable', detail: 'TLS_TIMEOUT' });
  });

  it('a URL that is not allowed gets no packet (T-11)', async () => {
    expect(await probe(answering(200), { policy: { allow: [] } })).toMatchObject({
      reason: 'not allowed',
      detail: 'NOT_ALLOWED',
    });
    expect(receiver!.connections).toBe(0);
  });
});
