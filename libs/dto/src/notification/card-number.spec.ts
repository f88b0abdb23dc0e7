import fc from 'fast-check';
import { aNotification } from '../testing';
import { holdsCardNumber } from './card-number';
import { serializeNotification } from './notification-json';
import type { TransactionNotificationV3 } from './transaction-notification-v3';

/** Numbers that the schemes publish for tests. */
const cards = [
  ['Visa', '4111111111111111'],
  ['Visa of 13 digits', '4222222222222'],
  ['Mastercard', '5555555555554444'],
  ['Mastercard of 2017', '2223003122003222'],
  ['American Express', '378282246310005'],
  ['Diners Club', '30569309025904'],
  ['JCB', '3530111333300000'],
  ['Discover', '6011111111111117'],
  ['Maestro', '6759649826438453'],
] as const;

/**
 * The digits without groups, in groups of one length (the last may be shorter), and as American Express and Diners Club
 * print them.
 */
function groupings(digits: string): string[][] {
  const inGroupsOf = (length: number) => digits.match(new RegExp(`\\d{1,${length}}`, 'g'))!;
  const printed = [digits.slice(0, 4), digits.slice(4, 10), digits.slice(10)];
  return [[digits], ...[1, 2, 4, 8].map(inGroupsOf), ...(digits.length === 14 || digits.length === 15 ? [printed] : [])];
}

const parted = (groups: readonly string[]) => (separators: string[]) =>
  groups.map((group, at) => (at === 0 ? group : separators[at]! + group)).join('');

describe('card numbers in texts (R-2.5-15, A-75)', () => {
  it.each(cards)('%s is found as people write it, with any separators and any text around it (R-2.5-15)', (_, digits) => {
    const separator = fc.constantFrom(' ', '-', '.', '\n', '\r\n', '\u00a0', '\u2013', '/', ', ');
    const grouped = fc
      .constantFrom(...groupings(digits))
      .chain(groups => fc.array(separator, { minLength: groups.length, maxLength: groups.length }).map(parted(groups)));
    const start = fc.constantFrom('', 'X\n', 'card:', 'order 17 ', '(12/29) ', 'é');
    const end = fc.constantFrom('', ' 12/29', '\nX', ' (paid)', 'é');
    fc.assert(
      fc.property(start, grouped, end, (before, card, after) => expect(holdsCardNumber(before + card + after)).toBe(true)),
    );
  });

  it('no UUID counts as a card number (A-75)', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.constantFrom('', 'order-', 'journey '), (uuid, before) => {
        expect(holdsCardNumber(before + uuid)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
    // The first three groups together would be a card number, by scheme and check digit.
    expect(holdsCardNumber('41111111-1111-4008-9a11-11111111111f')).toBe(false);
  });

  it('with one wrong digit, or only 12 digits, a text is no card number (R-2.5-15)', () => {
    for (const [, digits] of cards) {
      const wrong = digits.slice(0, -1) + ((Number(digits.at(-1)) + 1) % 10);
      expect([wrong, holdsCardNumber(wrong)]).toEqual([wrong, false]);
      expect(holdsCardNumber(digits.slice(0, 12))).toBe(false);
    }
  });

  it.each([
    'order-1760000000000',
    'order-678912345678',
    '2026-01-01T12:30:45.123Z',
    '+27 82 000 0001',
    '411111-1111',
    '411111 1111111111',
    '37828 224631 0005',
    '3782 822463 1 0005',
    '3782 8224631 0005',
    '4222 222222 222',
    '00004111111111111111',
    'ref 4111a1111b1111c1111',
    'a4111111111111111f',
    '5c4111111111111111',
    '0f8fad5b-d9cb-469f-a165-70867728950e',
    '',
  ])('%j holds no card number (A-75)', text => {
    expect(holdsCardNumber(text)).toBe(false);
  });

  it('a number in international format is a telephone number, and no card, when it has its plus (A-75)', () => {
    // German, 13 digits, with the beginning and the check digit of a card.
    for (const number of ['4915112345678', '4915112345686']) {
      expect([number, holdsCardNumber(number), holdsCardNumber(`+${number}`)]).toEqual([number, true, false]);
      expect(holdsCardNumber(`{"phone":"+${number}"}`)).toBe(false);
      expect(holdsCardNumber(`+${number} 4111 1111 1111 1111`)).toBe(true);
    }
    expect(holdsCardNumber('+4111111111111111')).toBe(true);
    expect(holdsCardNumber('+4111 1111 1111 1111')).toBe(true);
  });

  const full = aNotification({
    destination: '+27820000002',
    clientContact: { firstName: 'A', lastName: 'B', emailAddress: 'a@example.com', phoneNumber: '1', country: 'ZA' },
  });
  const members = (name: keyof TransactionNotificationV3) =>
    Object.keys(full[name] as object).map(member => [name, member] as const);
  const texts = [
    ...(['merchantName', 'acquirer', 'reference', 'extraReferenceName', 'extraReferenceValue'] as const).map(
      name => [name] as const,
    ),
    ...members('clientContact'),
    ['bankResponse', 'bankResponseMessage'] as const,
    ['bankResponse', 'authCode'] as const,
    ['cardInfo', 'cardHolderName'] as const,
    ['cardInfo', 'cardIssuer'] as const,
    ['cardInfo', 'cardType'] as const,
  ];

  it.each(texts.map(path => [path.join('.'), path] as const))(
    '%s never carries one, and the refusal does not repeat it (R-2.5-15)',
    (label, path) => {
      const [name, member] = path;
      for (const card of ['4111 1111 1111 1111', 'X\n4111-1111-1111-1111']) {
        const value = member === undefined ? card : { ...(full[name] as object), [member]: card };
        expect(() => serializeNotification({ ...full, [name]: value } as TransactionNotificationV3)).toThrow(
          `${label}: must not hold a card number`,
        );
      }
    },
  );

  it.each(['clientBilling', 'clientShipping'])('neither does %s, as text, number or key, at any depth (R-2.5-15)', name => {
    for (const address of [
      { lines: [{ a: 'x 4111 1111 1111 1111' }] },
      { card: 4_111_111_111_111_111 },
      { '4111111111111111': '' },
    ])
      expect(() => serializeNotification({ ...full, [name]: address } as TransactionNotificationV3)).toThrow(
        `${name}: must not hold a card number`,
      );
  });

  it('ids and amounts are numbers, whatever they look like (A-75)', () => {
    const id = 4_111_111_111_111_111;
    const { bankResponse } = full;
    const ids = { transactionId: id, referenceTransactionId: id, merchantId: id, amount: '411111111111111.1' };
    const written = serializeNotification({ ...full, ...ids, bankResponse: { ...bankResponse, retrievalReferenceNumber: id } });
    expect(written).toContain(`"retrievalReferenceNumber":${id},`);
  });
});
