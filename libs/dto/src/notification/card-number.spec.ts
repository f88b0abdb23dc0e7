import { validateSync } from 'class-validator';
import { aNotification } from '../testing';
import { holdsCardNumber, WithoutCardNumber } from './card-number';
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

/** proves: R-2.5-15, A-75 */
describe('card numbers in texts', () => {
  it.each([
    ['full-width', '\uff10'],
    ['Arabic-Indic', '\u0660'],
    ['Persian', '\u06f0'],
    ['Devanagari', '\u0966'],
    ['Bengali', '\u09e6'],
    ['Thai', '\u0e50'],
    ['mathematical bold', '\u{1d7ce}'],
    ['mathematical monospace', '\u{1d7f6}'],
    ['Adlam', '\u{1e950}'],
  ])('a card number in %s digits is found, alone and in groups', (_, zero) => {
    const written = (text: string) => text.replace(/\d/g, digit => String.fromCodePoint(zero.codePointAt(0)! + Number(digit)));
    for (const text of ['4111111111111111', 'card 3782-822463-10005', 'Visa: 4111 1111 1111 1111.'])
      expect([text, holdsCardNumber(written(text))]).toEqual([text, true]);
  });

  it('a card number in circled or raised digits is found, and a raised digit behind it hides none', () => {
    for (const text of ['\u2463' + '\u2460'.repeat(15), '\u2074' + '\u00b9'.repeat(15), '4111111111111111\u00b2'])
      expect([text, holdsCardNumber(text)]).toEqual([text, true]);
  });

  it('invisible characters hide no card number', () => {
    for (const invisible of ['\u200b', '\u200d', '\u00ad', '\u2060', '\ufeff', '\u202e', '\ufe0f']) {
      expect(holdsCardNumber([...'4111111111111111'].join(invisible))).toBe(true);
      expect(holdsCardNumber(`17${invisible}4111111111111111`)).toBe(true);
    }
  });

  it('regression: no UUID counts as a card number', () => {
    // The first three groups together would be a card number, by scheme and check digit.
    expect(holdsCardNumber('41111111-1111-4008-9a11-11111111111f')).toBe(false);
  });

  it('with one wrong digit, or only 12 digits, a text is no card number', () => {
    for (const [, digits] of cards) {
      const wrong = digits.slice(0, -1) + ((Number(digits.at(-1)) + 1) % 10);
      expect([wrong, holdsCardNumber(wrong)]).toEqual([wrong, false]);
      expect(holdsCardNumber(digits.slice(0, 12))).toBe(false);
    }
  });

  it.each([
    ...['order-1760000000000', 'order-678912345678', '2026-01-01T12:30:45.123Z', '26.11.26 17:00 - 20.12.26 10:00'],
    ...['+27 82 000 0001', '411111-1111', '37828 224631 0005', '3782 822463 1 0005', '3782 8224631 0005', '4222 222222 222'],
    ...['00004111111111111111', '41111111111111110000', 'ref 4111a1111b1111c1111', '4111    1111    1111    1111'],
    ...['0f8fad5b-d9cb-469f-a165-70867728950e', 'DE66 6005 0101 0002 0347 04', 'FI4412345600000080', '1Z4111111111111111'],
    ...['1Z999AA10123456784', ''],
  ])('%j holds no card number', text => {
    expect(holdsCardNumber(text)).toBe(false);
  });

  it('an IBAN is no card, and a text that only begins like one may hold a card', () => {
    // The middle groups have the beginning and the check digit of a card.
    expect([holdsCardNumber('4401 0046 0123 4569'), holdsCardNumber('DE12 4401 0046 0123 4569 00')]).toEqual([true, false]);
    expect(holdsCardNumber('DE13 4401 0046 0123 4569 00')).toBe(true);
    expect(holdsCardNumber('MC5555555555554444')).toBe(true);
  });

  it('a number in international format is a telephone number, and no card, when it has its plus', () => {
    expect([holdsCardNumber('378282246310005'), holdsCardNumber('+378282246310005')]).toEqual([true, false]);
    expect(holdsCardNumber('{"phone":"+378282246310005"}')).toBe(false);
    expect(holdsCardNumber('+4915112345678 4111 1111 1111 1111')).toBe(true);
    expect(holdsCardNumber('+4111111111111111')).toBe(true);
    expect(holdsCardNumber('+4111 1111 1111 1111')).toBe(true);
  });

  it('13 digits are a card only in the old range of Visa, and never in a reference or a telephone number', () => {
    const uses = (text: string) => (['text', 'reference', 'telephone'] as const).map(use => holdsCardNumber(text, use));
    expect(uses('4222222222222')).toEqual([true, false, false]);
    expect(uses('4222 222 222 222')).toEqual([true, false, false]);
    expect(uses('6104882000007')).toEqual([false, false, false]);
    expect(uses('4111111111111111')).toEqual([true, true, true]);
    expect(uses('378282246310005')).toEqual([true, true, true]);
  });

  it('a word for a card makes a card of each number that could be one, in every field', () => {
    // By turns: Visa of 13 digits, an identity number, Maestro of 13, UnionPay of 17, Troy, an order number that begins with its day.
    for (const number of [
      '4222222222222',
      '4501015800082',
      '6759649826430',
      '62123456789012347',
      '9792030000000000',
      '2611260000000007',
    ])
      for (const word of ['card ', 'PAN', 'Kreditkarte: ', 'tarjeta ', 'cart\u00e3o ', '\u5361\u53f7'])
        expect([word + number, holdsCardNumber(word + number, 'reference')]).toEqual([word + number, true]);
    for (const number of ['4501015800082', '6759649826430', '62123456789012347', '9792030000000000', '2611260000000007'])
      expect([number, holdsCardNumber(number, 'reference')]).toEqual([number, false]);
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
    '%s never carries one, and the refusal does not repeat it',
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

  it.each(['clientBilling', 'clientShipping'])('neither does %s, as text, number or key, at any depth', name => {
    for (const address of [
      { lines: [{ a: 'x 4111 1111 1111 1111' }] },
      { lines: '4111\n1111\t1111\n1111' },
      { card: 4_111_111_111_111_111 },
      { '4111111111111111': '' },
    ])
      expect(() => serializeNotification({ ...full, [name]: address } as TransactionNotificationV3)).toThrow(
        `${name}: must not hold a card number`,
      );
  });

  it('ids and amounts are numbers, whatever they look like', () => {
    const id = 4_111_111_111_111_111;
    const { bankResponse } = full;
    const ids = { transactionId: id, referenceTransactionId: id, merchantId: id, amount: '411111111111111.1' };
    const written = serializeNotification({ ...full, ...ids, bankResponse: { ...bankResponse, retrievalReferenceNumber: id } });
    expect(written).toContain(`"retrievalReferenceNumber":${id},`);
  });
});

class Body {
  @WithoutCardNumber()
  reference: unknown;
}

describe('a text of a body without a card number (R-2.5-15)', () => {
  const refusals = (reference: unknown) =>
    validateSync(Object.assign(new Body(), { reference })).map(({ constraints }) => constraints);

  it('is refused by the name of its field when it holds one', () => {
    expect(refusals('card 4111 1111 1111 1111')).toEqual([
      { withoutCardNumber: 'reference must not hold a card number. Send at most the last 4 digits of a card' },
    ]);
  });

  it.each(['order 4111', '', 4_111_111_111_111_111, null])('%j is not refused: what is no text is for other rules', reference => {
    expect(refusals(reference)).toEqual([]);
  });
});
