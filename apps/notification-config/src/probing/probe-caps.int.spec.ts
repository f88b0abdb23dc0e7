import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UrlProber } from '@paycode/safe-http';
import { answering, RawReceiver } from '@paycode/safe-http/testing';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { notificationLimits } from '../app.module';
import { ProbeBudget } from './probe-budget';
import { acquirerBank, pspOne, TestNotificationConfig } from '../testing/running-service';

/** Refills are out of reach of a test run. */
const hourMs = 3_600_000;

describe('caps on probes (T-28)', () => {
  let service: TestNotificationConfig;
  let receiver: RawReceiver;
  let merchantId = 100;

  beforeAll(async () => {
    receiver = await RawReceiver.start(answering(200));
    const probes = {
      merchant: { burst: 3, refillMs: hourMs },
      caller: { burst: 8, refillMs: hourMs },
      origin: { burst: 20, refillMs: 3_000 },
    };
    service = await TestNotificationConfig.startWith({ probes });
  });
  beforeEach(async () => {
    merchantId += 1;
    await service.saveMerchant(merchantId);
    receiver.received.length = 0;
    await service.database.dataSource.query('delete from probe_bucket');
  });
  afterEach(() => jest.restoreAllMocks());
  const later = undoneAfterEach();
  afterAll(() => Promise.all([service.stop(), receiver.stop()]));

  const probe = async (identity = pspOne, target = merchantId, port = receiver.port) =>
    service.post('addHttp', { merchantId: target, url: `http://127.0.0.1:${port}/`, version: 'V3' }, identity);
  const probes = () => receiver.received.join('').split('{"result":"TEST"}').length - 1;

  it('a merchant has its burst, then 429 with Retry-After and no request', async () => {
    for (let i = 0; i < 3; i += 1) expect((await probe()).status).toBe(200);
    const refused = await probe(acquirerBank);
    expect([refused.status, refused.data.message]).toEqual([429, 'Too many URL validations']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000);
    expect(probes()).toBe(3);
  });

  it('a caller has its burst over all its merchants; another caller is not affected', async () => {
    const first = merchantId;
    for (let i = 0; i < 8; i += 1) {
      if (i % 3 === 0) await service.saveMerchant((merchantId += 1));
      expect((await probe()).status).toBe(200);
    }
    await service.saveMerchant((merchantId += 1));
    expect((await probe()).status).toBe(429);
    expect((await probe(acquirerBank, first)).status).toBe(200);
  });

  it('an origin is capped over all callers and merchants', async () => {
    for (let i = 0; i < 20; i += 1) {
      // A bucket that was filled in the future refills no more, however long the calls take.
      if (i === 1)
        await service.database.dataSource.query("update probe_bucket set refilled_at = refilled_at + interval '1 hour'");
      await service.saveMerchant((merchantId += 1));
      const caller = { ...pspOne, subject: `psp-1-${i % 5}` };
      expect((await probe(caller)).status).toBe(200);
    }
    await service.saveMerchant((merchantId += 1));
    expect((await probe({ ...pspOne, subject: 'psp-1-x' })).status).toBe(429);
  });

  it('one probe of a merchant is in flight at a time: a call that comes meanwhile waits a little, then it is 429', async () => {
    const silent = await RawReceiver.start(() => undefined);
    later(() => silent.stop());
    const slow = probe(pspOne, merchantId, silent.port);
    await eventually(() => expect(silent.received.length).toBeGreaterThan(0));
    const refused = await probe();
    expect([refused.status, Number(refused.headers['retry-after'])]).toEqual([429, 1]);
    await silent.stop();
    expect((await slow).data.message).toBe('URL validation failed: did not return 200');
    expect((await probe()).status).toBe(200);
  });

  /** A call that finds the merchant's turn taken is refused when that turn ends, however long the turn took. */
  function refusalsComeWithTheNextRelease(): void {
    const { take, release } = ProbeBudget.prototype;
    let [taken, released] = [0, 0];
    jest.spyOn(ProbeBudget.prototype, 'release').mockImplementation(async function (this: ProbeBudget, ...args) {
      await release.apply(this, args);
      released += 1;
    });
    jest.spyOn(ProbeBudget.prototype, 'take').mockImplementation(async function (this: ProbeBudget, request) {
      const permit = await take.call(this, request);
      if (permit.ok) taken += 1;
      else await eventually(() => expect(released).toBeGreaterThanOrEqual(taken));
      return permit;
    });
  }

  it('calls for one merchant at the same time are probed one after the other, and each is answered (A-51)', async () => {
    let open = 0;
    let openMax = 0;
    refusalsComeWithTheNextRelease();
    const counting = await RawReceiver.start(socket => {
      openMax = Math.max(openMax, ++open);
      setImmediate(() => {
        open -= 1;
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      });
    });
    later(() => counting.stop());
    const answers = await Promise.all([1, 2, 3].map(() => probe(pspOne, merchantId, counting.port)));
    expect([answers.map(({ status }) => status), openMax]).toEqual([[200, 200, 200], 1]);
  });

  it('a refused probe takes nothing from the other buckets', async () => {
    for (let i = 0; i < 3; i += 1) await probe();
    const tokens = () =>
      service.database.dataSource.query<object[]>("select bucket, tokens from probe_bucket where bucket like 'caller:%'");
    const before = await tokens();
    expect((await probe()).status).toBe(429);
    expect(await tokens()).toEqual(before);
  });
});

describe('the URL validation window', () => {
  afterEach(() => jest.restoreAllMocks());

  it('by default a probe lasts at most 10 s, 3 s of them to connect, and reads 1 KiB of the answer (R-2.6-1, T-11)', async () => {
    const service = await TestNotificationConfig.startWith(notificationLimits);
    try {
      const probe = jest.spyOn(UrlProber.prototype, 'send').mockRejectedValue(new Error('not sent'));
      await service.saveMerchant(11);
      await service.post('addHttp', { merchantId: 11, url: 'http://127.0.0.1:8080/hook', version: 'V3' });
      const message = { body: '{"result":"TEST"}', headers: { 'content-type': 'application/json' }, showsCertificate: false };
      expect(probe.mock.calls).toEqual([
        ['http://127.0.0.1:8080/hook', message, { totalMs: 10_000, connectMs: 3_000, bodyBytesMax: 1_024 }],
      ]);
    } finally {
      await service.stop();
    }
  });
});

it('the guide for integrators says how often a URL may be validated (T-28)', () => {
  const { merchant, caller, origin } = notificationLimits.probes;
  const guide = readFileSync(join(__dirname, '../../../../docs/how-to/integrate.md'), 'utf8');
  expect(guide).toContain(
    `${merchant.burst} at once, then one in ${merchant.refillMs / 1_000} seconds per merchant; ` +
      `${caller.burst} at once, then ${3_600_000 / caller.refillMs} an hour per caller; ${60_000 / origin.refillMs} a minute to one server`,
  );
});
