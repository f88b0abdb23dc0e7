import type { ProbeDetail, ProbeOutcome } from '@paycode/safe-http';
import type { Logger } from '@paycode/service-runtime';
import type { ProbeBudget } from './probe-budget';
import { type UrlProbe, ValidateUrlService } from './validate-url.service';

const log = { info: () => undefined } as unknown as Logger;
const timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 1 };

async function refusalOf(outcome: Partial<ProbeOutcome>): Promise<{ message: string; errors?: object[] }> {
  const failed: ProbeOutcome = {
    isAccepted: false,
    reason: null,
    detail: null,
    status: null,
    timings,
    certificateExpiresAt: null,
    ...outcome,
  };
  const probe = { isAllowed: () => true, probe: () => Promise.resolve(failed) } as unknown as UrlProbe;
  const budget = {
    take: () => Promise.resolve({ ok: true, probeId: '1' }),
    release: () => Promise.resolve(),
  } as unknown as ProbeBudget;
  const url = 'https://shop.example.com/';
  const refused = new ValidateUrlService(probe, budget, log).validate({ merchantId: 1, caller: 'psp-1', url });
  return refused.then(
    () => ({ message: 'accepted' }),
    (error: { message: string; errors?: object[] }) => error,
  );
}

const explained = async (outcome: Partial<ProbeOutcome>) => {
  const { message, errors } = await refusalOf(outcome);
  return [message, errors];
};

describe('the error that a PSP gets for a refused URL (A-77, R-7-7)', () => {
  it.each([
    ['NAME_NOT_FOUND', 'the host name has no address'],
    ['CERTIFICATE_EXPIRED', 'the TLS handshake failed: check certificate, chain and versions'],
    [
      'CLIENT_CERTIFICATE_DEMANDED',
      'the server demands a client certificate: set clientCertificate, or allow requests without one',
    ],
    ['TLS_VERSION_TOO_OLD', 'the TLS handshake failed: check certificate, chain and versions'],
  ] as const)('%s: %s, beside the literal', async (detail, message) => {
    const told = await explained({ reason: 'not reachable', detail });
    expect(told).toEqual(['URL validation failed: not reachable', [{ field: 'url', message }]]);
  });

  it('it has the status that the receiver answered, or says that none came in time', async () => {
    const reason = 'did not return 200';
    expect(await explained({ reason, detail: 'STATUS_NOT_200', status: 404 })).toEqual([
      'URL validation failed: did not return 200',
      [{ field: 'url', message: 'answered with status 404' }],
    ]);
    expect((await explained({ reason, detail: 'NO_ANSWER_IN_TIME' }))[1]).toEqual([
      { field: 'url', message: 'no answer within 10 seconds' },
    ]);
  });

  it('a closed port and a filtered one give the same error (T-11)', async () => {
    const closed: ProbeDetail[] = ['CONNECTION_REFUSED', 'CONNECTION_CLOSED', 'CONNECT_TIMEOUT', 'CONNECT_FAILED'];
    const told = await Promise.all(closed.map(detail => explained({ reason: 'not reachable', detail })));
    expect(new Set(told.map(each => JSON.stringify(each))).size).toBe(1);
  });

  it('an address that is not allowed gets no detail (T-11)', async () => {
    expect(await explained({ reason: 'not allowed', detail: 'NOT_ALLOWED' })).toEqual([
      'URL validation failed: not allowed',
      undefined,
    ]);
  });
});
