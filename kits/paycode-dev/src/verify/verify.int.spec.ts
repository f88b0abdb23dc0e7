import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { TestAuthority, type TestCertificate } from '@paycode/safe-http/testing';
import { type Fault, TestReceiver } from '../testing/test-receiver';
import type { Checked, Report } from './verify';
import { verify } from './verify';

const samplesFolder = join(__dirname, '../../../../libs/dto/samples/notifications');
const ceilingMs = 120_000;
const minute = 60_000;

let receiver: TestReceiver;
afterEach(() => receiver.stop());

interface Variation {
  windowMs?: number;
  wholeMs?: number;
  url?: URL;
  ca?: string;
  withoutNewKey?: boolean;
  headers?: Record<string, string>;
  client?: string;
}

function verified({ withoutNewKey, ...variation }: Variation = {}): Promise<Report> {
  const newKey = withoutNewKey ? undefined : Buffer.from(receiver.newKey, 'hex');
  const key = Buffer.from(receiver.key, 'hex');
  return verify({ url: receiver.url, key, newKey, windowMs: ceilingMs, wholeMs: 30 * minute, samplesFolder, ...variation });
}

/** Ids of the checks with this verdict. */
const ids = ({ checks }: Report, verdict: Checked['verdict']) =>
  checks.filter(check => check.verdict === verdict).map(({ id }) => id);
const reasonOf = ({ checks }: Report, id: string) => checks.find(check => check.id === id)!.reason;

describe('verify against the Node kit', () => {
  let authority: TestAuthority;
  beforeAll(async () => {
    authority = await TestAuthority.create();
  });
  afterAll(() => authority.remove());

  const ca = () => readFileSync(authority.caFile, 'utf8');
  const aYear = () => new Date(Date.now() + 365 * 24 * 60 * minute);

  it('everything passes, over TLS and with two keys (T-22)', async () => {
    receiver = await TestReceiver.start(undefined, await authority.issue({ dns: ['localhost'], notAfter: aYear() }));
    const report = await verified({ ca: ca() });
    expect(report.checks.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
    expect(report.counts).toEqual({ pass: report.checks.length, warn: 0, fail: 0, skip: 0 });
    expect(report.answerTimes.count).toBeGreaterThan(100);
  });

  it('nothing fails behind a gateway that demands a header field and a client certificate, when it gets them (T-59)', async () => {
    const { cert, key } = await authority.issue({ dns: ['tester'] });
    const server = await authority.issue({ dns: ['localhost'], notAfter: aYear() });
    receiver = await TestReceiver.start(undefined, { ...server, ca: ca(), requestCert: true, rejectUnauthorized: false });
    receiver.letsIn = ({ headers, socket }) => headers['x-api-key'] === 'k' && (socket as TLSSocket).authorized;
    const report = await verified({ ca: ca(), client: `${cert}\n${key}`, headers: { 'X-Api-Key': 'k' } });
    expect(ids(report, 'fail')).toEqual([]);
    const without = await verified({ ca: ca(), headers: { 'X-Api-Key': 'k' } });
    expect(reasonOf(without, 'probe')).toContain('401');
  });

  it('over http without a new key, TLS and the renewal are not tried', async () => {
    receiver = await TestReceiver.start();
    const report = await verified({ withoutNewKey: true });
    expect([ids(report, 'warn'), ids(report, 'fail')]).toEqual([[], []]);
    expect(ids(report, 'skip')).toEqual(['tls-chain', 'tls-name', 'tls-expiry', 'tls-versions', 'new-key', 'old-key']);
  });

  const certificates: [string, string, () => Promise<TestCertificate>][] = [
    ['only itself vouches for', 'tls-chain', () => TestAuthority.selfSigned({ dns: ['localhost'] })],
    ['is for another name', 'tls-name', () => authority.issue({ dns: ['elsewhere.example.com'], notAfter: aYear() })],
    [
      'has expired',
      'tls-expiry',
      () => authority.issue({ dns: ['localhost'], notBefore: new Date(0), notAfter: new Date(Date.now() - minute) }),
    ],
  ];
  it.each(certificates)('a certificate that %s fails %s, and nothing after it is tried', async (_, id, issue) => {
    receiver = await TestReceiver.start(undefined, await issue());
    const report = await verified({ ca: ca() });
    expect(ids(report, 'fail')).toEqual([id]);
    expect(ids(report, 'skip')).toContain('good-body');
  });

  it('a server that speaks TLS 1.2 only is warned of', async () => {
    const certificate = await authority.issue({ dns: ['localhost'], notAfter: aYear() });
    receiver = await TestReceiver.start(undefined, { ...certificate, maxVersion: 'TLSv1.2' });
    expect(ids(await verified({ ca: ca() }), 'warn')).toEqual(['tls-versions']);
  });
});

describe('verify tells receivers with one fault apart', () => {
  const faults: [Fault, failed: string[], reason: RegExp][] = [
    ['CRASHES_ON_A_BAD_BODY', ['wrong-key'], /It seems that the receiver crashed\.$/],
    ['DIES_AFTER_A_BAD_BODY', ['wrong-key'], /^All were refused, and then a good body was not accepted\. .* crashed\.$/],
    ['IGNORES_THE_TAG', ['flipped-bit', 'short-tag'], /^Answered 200 to a body with a flipped bit in the ciphertext/],
    ['TAKES_SHORT_TAGS', ['short-tag'], /^Answered 200 to a body whose tag has 4 bytes/],
    ['REFUSES_UNKNOWN_FIELDS', ['unknown-fields'], /^The answer was 422\. Fields may be added/],
    ['ROUNDS_IDS', ['large-ids'], /ids lose digits/],
    ['REFUSES_REPEATS', ['duplicate-at-once', 'duplicate-later'], /^The answer was 409\. A repeat has the same transactionId/],
    ['BREAKS_UNDER_LOAD', ['fifty-at-once'], /of 50 were not acknowledged, the first because: the answer was 503\.$/],
    [
      'BREAKS_A_KEPT_CONNECTION',
      ['keep-alive'],
      /^Notification 2 over one connection: the connection was cut without an answer\.$/,
    ],
    ['KNOWS_THE_OLD_KEY_ONLY', ['new-key'], /^The answer was 400\. The platform uses the new key from/],
    ['PARSES_JSON_FIRST', ['good-body'], /^The answer was 400\. .*does it read the raw body/],
    [
      'DIES_OF_HALF_A_BODY',
      ['half-sent'],
      /^After half a body and a closed connection, a good notification was not .* catch that error/,
    ],
    ['DIES_OF_A_LONG_BODY', ['too-long'], /^After the beginning of a body of 100 MB, a good notification was not accepted: /],
    ['DIES_OF_JSON', ['parsed-json'], /^After a JSON object that body parsers take, a good notification was not accepted: /],
    ['ANSWERS_202', ['good-body'], /^The answer was 202\. Only 200 acknowledges/],
    ['ANSWERS_301', ['good-body'], /^The answer was 301\. It leads to \/moved\. Redirects are not followed/],
    ['ANSWERS_401', ['good-body'], /^The answer was 401\. A password is asked for/],
    ['ANSWERS_403', ['good-body'], /^The answer was 403\. A firewall or a check against forged forms/],
    ['ANSWERS_404', ['good-body'], /^The answer was 404\. No route takes POST/],
    ['ANSWERS_415', ['good-body'], /^The answer was 415\. A JSON parser/],
    ['ANSWERS_502', ['good-body'], /^The answer was 502\. A proxy in front got no answer/],
    ['LIMITS_BODIES_TO_16_KIB', ['large-body'], /^The answer was 413\./],
  ];
  it.each(faults)('%s fails %j', async (fault, failed, reason) => {
    receiver = await TestReceiver.start(fault);
    const report = await verified();
    // One that has crashed fails whatever comes after it too.
    const found = /^(CRASHES|DIES)/.test(fault) ? ids(report, 'fail').slice(0, 1) : ids(report, 'fail');
    expect(found).toEqual(failed);
    expect(reasonOf(report, failed[0]!)).toMatch(reason);
  });

  it('one that does not answer within the window fails its first good body, and the rest is not tried', async () => {
    receiver = await TestReceiver.start('NEVER_ANSWERS');
    const report = await verified({ windowMs: 300 });
    expect(ids(report, 'fail')).toEqual(['good-body']);
    expect(reasonOf(report, 'good-body')).toMatch(/^No answer came in time\./);
    expect(ids(report, 'skip')).toContain('fifty-at-once');
  });

  it('one whose process dies of half a body and starts again is warned of', async () => {
    receiver = await TestReceiver.start('STARTS_AGAIN');
    const report = await verified();
    expect([ids(report, 'fail'), ids(report, 'warn')[0]]).toEqual([[], 'half-sent']);
    expect(reasonOf(report, 'half-sent')).toMatch(
      /^After half a body and a closed connection, another client's connection had ended/,
    );
  });

  it('one that answers bad bodies with 500 is warned of, body by body', async () => {
    receiver = await TestReceiver.start('FAILS_ON_A_BAD_BODY');
    const report = await verified();
    expect(ids(report, 'fail')).toEqual([]);
    expect(ids(report, 'warn')).toEqual(['wrong-key', 'flipped-bit', 'short-body', 'short-tag', 'not-encrypted']);
  });

  it('nobody at the URL fails the probe and the good body', async () => {
    receiver = await TestReceiver.start();
    const url = receiver.url;
    await receiver.stop();
    receiver = await TestReceiver.start();
    const report = await verified({ url });
    expect(ids(report, 'fail')).toEqual(['probe', 'good-body']);
    expect(reasonOf(report, 'probe')).toMatch(/^No connection could be made\./);
  });

  it('what the time of the whole check does not suffice for fails', async () => {
    receiver = await TestReceiver.start();
    const report = await verified({ wholeMs: 0 });
    expect(reasonOf(report, 'probe')).toBe('Not tried: the time of the whole check is over (--within).');
    expect(report.counts.pass).toBe(0);
  });

  it('neither a key nor a query of the URL is in the report', async () => {
    receiver = await TestReceiver.start();
    const report = JSON.stringify(await verified({ url: new URL('?token=hidden', receiver.url) }));
    for (const secret of [receiver.key, receiver.newKey, 'hidden', '4000']) expect(report.includes(secret)).toBe(false);
  });
});
