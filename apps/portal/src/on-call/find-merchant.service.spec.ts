import type { EndpointPause, MerchantRecord, MerchantSearch, PortalAccount, PortalNotifications } from '@paycode/dto';
import type { Logger } from '@paycode/service-runtime';
import type { AuditEvent, AuditLog } from '../audit';
import type { Person } from '../people/domain/person';
import type { MerchantDirectory } from '../tenancy/merchant.directory';
import { FindMerchantService, type MerchantCalls } from './find-merchant.service';
import type { LastAnswer, OnCallReader } from './on-call-reader';

const origin = { address: '192.0.2.1', userAgent: '', requestId: 'r' };
const person: Person = {
  personId: 'p',
  email: 'ann@platform.example',
  name: 'Ann',
  tenantType: 'OPERATOR',
  tenantId: '',
  role: 'ON_CALL',
  hasTotp: true,
  hasPasskey: false,
  hasPassword: true,
  language: null,
  timeZone: null,
};
const merchant: MerchantRecord = { merchantId: 1001, merchantName: 'Corner Shop', pspId: 1, acquirer: 'Bank', status: 'ACTIVE' };
const notifications: PortalNotifications = {
  http: {
    url: 'https://shop.example:8443/hook/s3cret?t=1',
    version: 'V3',
    keyId: 'k',
    changedAt: '2026-11-01T00:00:00.000Z',
    hasCredential: false,
    hasClientCertificate: false,
    openedAt: null,
  },
  encryption: 'AES-128-GCM',
  certificateAuthorities: null,
  recipients: [{ type: 'EMAIL', value: 'till@shop.example' }],
};
const account: PortalAccount = {
  username: 'merchant-1001',
  mode: 'BASIC',
  hasPassword: true,
  challengeRequired: false,
  sourceAddresses: ['203.0.113.7'],
  publicKeySha256: null,
  passwordChangedAt: '2026-11-01T00:00:00.000Z',
};
const pause: EndpointPause = {
  pauseId: 3,
  endpoint: 'https://shop.example:8443',
  merchantId: 1001,
  reason: 'server is moved',
  pausedBy: 'portal Ben <ben@platform.example>',
  pausedAt: '2026-11-01T10:00:00.000Z',
  endsAt: '2026-11-01T10:10:00.000Z',
  endedAt: null,
  endedBy: null,
};
const proof = () => Promise.resolve({});
const answer: LastAnswer = { transactionId: 7, completedAt: '', outcome: 'SETTLED', answer: 'HTTP_200', elapsedMs: 9 };

describe('a merchant, for people on call', () => {
  let searches: MerchantSearch[];
  let recorded: AuditEvent[];
  let known: MerchantRecord[];
  beforeEach(() => ([searches, recorded, known] = [[], [], [merchant]]));

  const service = (isAway = false) =>
    new FindMerchantService(
      {
        search: (owner: MerchantSearch) => {
          searches.push(owner);
          return Promise.resolve(known);
        },
        find: () => Promise.resolve(known[0]),
      } as unknown as MerchantDirectory,
      {
        notifications: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(notifications)),
        account: () => Promise.resolve(account),
        endpoint: (merchantId: number) => Promise.resolve({ merchantId, endpoint: 'https://shop.example:8443', pause }),
      } as unknown as MerchantCalls,
      { lastAnswers: () => Promise.resolve([answer]) } as unknown as OnCallReader,
      { record: (event: AuditEvent) => Promise.resolve(void recorded.push(event)) } as unknown as AuditLog,
      { warn: () => undefined } as unknown as Logger,
    );

  it('is shown without what is secret of its URL, recipients and addresses, and that is on record with the name (T-52)', async () => {
    const shown = await service().show(1001, { person, origin, proof });
    expect(shown).toMatchObject({
      merchant,
      receiver: { host: 'shop.example:8443', encryption: 'AES-128-GCM', recipients: ['t***@shop.example'] },
      account: { username: 'merchant-1001', mode: 'BASIC', hasPublicKey: false, isBoundToAddresses: true },
      lastAnswers: [answer],
      pause: {
        pauseId: 3,
        endpoint: 'shop.example:8443',
        pausedBy: 'Ben <ben@platform.example>',
        endsAt: '2026-11-01T10:10:00.000Z',
      },
      silent: [],
    });
    expect(JSON.stringify(shown)).not.toMatch(/s3cret|till@|203\.0\.113/);
    expect(recorded).toEqual([{ personId: 'p', personName: 'Ann', action: 'ON_CALL_SEARCHED', merchantId: 1001, origin }]);
  });

  it('is shown without what a service that does not answer knows, and that service is named', async () => {
    const shown = await service(true).show(1001, { person, origin, proof });
    expect(shown).toMatchObject({ receiver: null, account: { username: 'merchant-1001' }, silent: ['notification-config'] });
  });

  it('that does not exist is said to be unknown, and nothing goes on record', async () => {
    known = [];
    await expect(service().show(4711, { person, origin, proof })).rejects.toMatchObject({ status: 404, reason: 'NO_MERCHANT' });
    expect(recorded).toEqual([]);
  });

  it('is found by id when digits are typed, else by name, and at most 20 are listed', async () => {
    known = Array.from({ length: 21 }, (_, at) => ({ ...merchant, merchantId: at + 1 }));
    expect(await service().search('1001')).toMatchObject({ isMore: true, merchants: { length: 20 } });
    await service().search('007');
    await service().search('corner');
    expect(searches).toEqual([{ merchantIds: [1001] }, { named: '007' }, { named: 'corner' }]);
  });
});
