import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { aNotification, notificationSamples } from '../testing';
import {
  NotificationFormatError,
  notificationCharsMax,
  parseNotification,
  serializeNotification,
  tryParseNotification,
} from './notification-json';
import { transactionNotificationV3 } from './transaction-notification-v3';

const samples = Object.entries(notificationSamples());
const ajv = new Ajv({ strict: true, allowUnionTypes: true });
addFormats(ajv);
const isBySchema = ajv.compile(transactionNotificationV3.schema);

const decimal = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }), fc.option(fc.stringMatching(/^\d{1,6}$/)))
  .map(([whole, fraction]) => (fraction === null ? `${whole}` : `${whole}.${fraction}`));

describe('notification JSON', () => {
  it.each(samples)('golden sample %s is read and written back byte for byte', (_, json) => {
    expect(serializeNotification(parseNotification(json))).toBe(json);
  });

  it.each(samples)('golden sample %s fits the published JSON Schema', (_, json) => {
    expect([isBySchema(JSON.parse(json)), isBySchema.errors]).toEqual([true, null]);
  });

  it('amounts are JSON numbers with exactly the digits given (R-2.5-3, A-57)', () => {
    const json = serializeNotification(aNotification({ amount: '110.10', tipAmount: '0.30' }));
    expect(json).toContain('"amount":110.10,');
    expect(json).toContain('"tipAmount":0.30,');
    fc.assert(
      fc.property(decimal, decimal, (amount, tipAmount) => {
        const written = serializeNotification(aNotification({ amount, tipAmount }));
        expect(written).toContain(`"amount":${amount},`);
        const read = parseNotification(written);
        expect([read.amount, read.tipAmount]).toEqual([amount, tipAmount]);
      }),
    );
  });

  describe('as in R-2.5-7, R-2.5-8, R-2.5-9, R-2.5-17, A-55', () => {
    it('five optional fields are null when absent, the other three omitted', () => {
      const bare = aNotification();
      delete bare.code;
      const written = JSON.parse(serializeNotification(bare)) as Record<string, unknown>;
      const nullFields = ['extraReferenceName', 'extraReferenceValue', 'tipAmount', 'clientBilling', 'clientShipping'];
      for (const field of nullFields) expect(written[field]).toBeNull();
      for (const field of ['code', 'destination', 'clientContact']) expect(written).not.toHaveProperty(field);
      expect(written['referenceTransactionId']).toBe(0);
    });
  });

  it('every field that is always present is refused when missing (R-2.5-1)', () => {
    for (const field of Object.keys(aNotification()).filter(name => name !== 'code')) {
      const without = { ...aNotification(), [field]: undefined };
      expect(() => serializeNotification(without)).toThrow(new RegExp(`^${field}`));
    }
  });

  it('golden samples: a refund and a reversal name their original, a purchase has 0', () => {
    const referenceOf = (sample: string): number => parseNotification(notificationSamples()[sample]!).referenceTransactionId;
    expect(['purchase-success', 'reversal-reversed', 'refund-partial-refunded'].map(referenceOf)).toEqual([0, 7000001, 7000001]);
  });

  const nested: [id: string, field: 'bankResponse' | 'cardInfo' | 'clientContact', members: string[]][] = [
    ['R-2.5-11', 'bankResponse', ['retrievalReferenceNumber', 'authCode', 'bankResponse', 'bankResponseMessage']],
    ['R-2.5-12', 'cardInfo', ['cardType', 'accountType', 'cardHolderName', 'bin', 'last4', 'binLast4', 'cardIssuer']],
    ['R-2.5-16', 'clientContact', ['firstName', 'lastName', 'emailAddress', 'phoneNumber', 'country']],
  ];
  it.each(nested)(
    '%s: %s is written with exactly its members, in order, and refused without one of them',
    (_, field, members) => {
      const full = parseNotification(notificationSamples()['purchase-success-all-fields']!);
      const shuffled = Object.fromEntries([...Object.entries(full[field]!).reverse(), ['pan', '4000000000000002']]);
      const written = JSON.parse(serializeNotification({ ...full, [field]: shuffled })) as Record<string, object>;
      expect(Object.keys(written[field]!)).toEqual(members);
      for (const member of members) {
        const without = { ...full, [field]: { ...full[field], [member]: undefined } };
        expect(() => serializeNotification(without)).toThrow(`${field}.${member}: must be`);
      }
    },
  );

  it.each([
    ['R-2.5-11', 'bankResponse', { retrievalReferenceNumber: '42' }],
    ['R-2.5-11', 'bankResponse', { authCode: 42 }],
    ['R-2.5-11', 'bankResponse', { bankResponse: 0 }],
    ['R-2.5-11', 'bankResponse', { bankResponseMessage: 7 }],
    ['R-2.5-12', 'cardInfo', { last4: 1234 }],
    ['R-2.5-16', 'clientContact', { phoneNumber: 27820000001 }],
  ] as const)('%s: %s with %j is refused for its type', (_, field, member) => {
    const full = parseNotification(notificationSamples()['purchase-success-all-fields']!);
    const changed = { ...full, [field]: { ...full[field], ...member } } as unknown as typeof full;
    expect(() => serializeNotification(changed)).toThrow(`${field}.${Object.keys(member)[0]}: must be`);
  });

  it('the RRN is a number, so its leading zeros are gone (A-58)', () => {
    const notification = aNotification();
    notification.bankResponse.retrievalReferenceNumber = Number('000000000042');
    expect(serializeNotification(notification)).toContain('"retrievalReferenceNumber":42,');
  });

  it('versionData.version is any text, whatever the payload version (R-2.5-18, R-9-3)', () => {
    const versions = ['1', '2', '2.1-beta'].map(version =>
      parseNotification(serializeNotification(aNotification({ versionData: { version } }))),
    );
    expect(versions.map(({ versionData }) => versionData.version)).toEqual(['1', '2', '2.1-beta']);
  });

  it('addresses pass through unchanged, digits included', () => {
    const json = serializeNotification(aNotification()).replace(
      '"clientBilling":null',
      '"clientBilling":{"amount":1.50,"n":1e2,"x":-0}',
    );
    expect(serializeNotification(parseNotification(json))).toBe(json);
  });

  it.each([
    ['a TxState as status (R-3.3-2)', { status: 'END_BANK_DECLINE' }, 'status: must be a NotificationStatus'],
    ['a float in place of exact digits', { amount: 110.1 }, 'amount: must be a decimal of up to 15 digits and 6 decimals'],
    [
      'JSON smuggled in as an amount',
      { amount: '1,"status":"SUCCESS"' },
      'amount: must be a decimal of up to 15 digits and 6 decimals',
    ],
    ['an id beyond 2^53 (R-2.5-2)', { transactionId: 2 ** 53 }, 'transactionId: must be an integer in [1, 2^53)'],
    ['an id as text (R-2.5-2)', { merchantId: '25' }, 'merchantId: must be an integer in [1, 2^53)'],
    ['a code of nine digits (R-2.5-5)', { code: '123456789' }, 'code: must be 10 digits'],
    ['a local phone number (R-2.5-6)', { clientMsisdn: '0820000001' }, 'clientMsisdn: must be a number in international format'],
    [
      'a version as number (R-2.5-18)',
      { versionData: { version: 1 } },
      'versionData.version: must be text of at most 16 characters',
    ],
    ['an address beyond 4 KiB', { clientBilling: { x: 'é'.repeat(2_100) } }, 'clientBilling: must be an object of at most 4 KiB'],
    ['an address that is a list', { clientBilling: [] }, 'clientBilling: must be an object of at most 4 KiB'],
  ])('refuses %s', (_, change, reason) => {
    expect(() => serializeNotification(aNotification(change as never))).toThrow(new NotificationFormatError(reason));
  });

  it.each([
    [
      'an unknown account type (R-2.5-13)',
      { accountType: 'SAVINGS' },
      'cardInfo.accountType: must be one of DEBIT, CREDIT, CHEQUE',
    ],
    ['a BIN of eight digits (R-2.5-14)', { bin: '40000000' }, 'cardInfo.bin: must be 6 digits'],
    ['a binLast4 of another card (R-2.5-14)', { binLast4: '400000-9999' }, 'cardInfo.binLast4: must be {bin}-{last4}'],
    [
      'a card number in a text (R-2.5-15)',
      { cardHolderName: '4000000000000002' },
      'cardInfo.cardHolderName: must be text of at most 128 characters without a card number',
    ],
  ])('refuses %s', (_, change, reason) => {
    const notification = aNotification();
    Object.assign(notification.cardInfo, change);
    expect(() => serializeNotification(notification)).toThrow(new NotificationFormatError(reason));
  });

  it.each([
    ['', 'data: must be a JSON object'],
    ['{', 'data: must be a JSON object'],
    ['null', 'data: must be a JSON object'],
    ['7', 'data: must be a JSON object'],
    ['"text"', 'data: must be a JSON object'],
    ['[]', 'transactionId: must be an integer in [1, 2^53)'],
    ['{"transactionId":1}', 'merchantId: must be an integer in [1, 2^53)'],
  ])('%j is no notification, as value and as error (T-16)', (json, reason) => {
    expect(tryParseNotification(json)).toEqual({ ok: false, reason });
    expect(() => parseNotification(json)).toThrow(new NotificationFormatError(reason));
  });

  it('is read up to 32 KiB, however good it is beyond', () => {
    const json = serializeNotification(aNotification());
    expect(tryParseNotification(json.padEnd(notificationCharsMax)).ok).toBe(true);
    expect(tryParseNotification(json.padEnd(notificationCharsMax + 1))).toEqual({
      ok: false,
      reason: 'data: must be at most 32768 characters',
    });
  });

  it('an address of 4 KiB is written, a longer one is not', () => {
    const ofBytes = (bytes: number) => () =>
      serializeNotification(aNotification({ clientShipping: { x: 'a'.repeat(bytes - '{"x":""}'.length) } }));
    expect(ofBytes(4_096)).not.toThrow();
    expect(ofBytes(4_097)).toThrow(new NotificationFormatError('clientShipping: must be an object of at most 4 KiB'));
  });

  it.each(['"110.10"', '{"digits":"110.10"}', 'null', 'true'])(
    'an amount given as %s is refused: on the wire it is a number (A-57)',
    written => {
      const json = serializeNotification(aNotification()).replace('"amount":110.10', `"amount":${written}`);
      expect(tryParseNotification(json)).toEqual({
        ok: false,
        reason: 'amount: must be a decimal of up to 15 digits and 6 decimals',
      });
    },
  );

  it('no error repeats a value (R-2.5-19)', () => {
    const personal = ['+27820000001', 'A EXAMPLE', '400000', 'order-17', 'Corner'];
    const json = serializeNotification(aNotification());
    fc.assert(
      fc.property(fc.integer({ min: 0, max: json.length - 1 }), fc.string({ minLength: 1, maxLength: 3 }), (at, junk) => {
        const result = tryParseNotification(json.slice(0, at) + junk + json.slice(at + 1));
        if (!result.ok) for (const value of personal) expect(result.reason).not.toContain(value);
      }),
    );
  });
});
