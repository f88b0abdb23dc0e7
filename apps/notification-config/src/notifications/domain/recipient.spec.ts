import { channels } from '@paycode/dto';
import fc from 'fast-check';
import { isRecipientValue, maskedRecipient, valueRuleOf } from './recipient';

const emails = [
  'owner@shop.example', 'o@s.example', 'first.last+tag@mail.shop.example', 'o_w-n@xn--bcher-kva.example', "o'neil@shop.example",
  `${'a'.repeat(64)}@shop.example`,
]; // prettier-ignore
const notEmails = [
  '', '@', 'shop.example', 'owner', 'owner@', '@shop.example', 'owner@shop', 'owner@shop.', 'owner@.shop.example', 'owner@shop..example', '.owner@shop.example',
  'owner.@shop.example', 'o..w@shop.example', 'owner@-shop.example', 'owner@127.0.0.1', 'owner@[127.0.0.1]', 'a b@shop.example',
  '"a b"@shop.example', 'a@b@shop.example', 'Owner <owner@shop.example>', 'owner@shop.example, thief@shop.example', 'owner@shop.example;thief',
  'owner@shop.example\r\nBcc: thief@shop.example', 'owner@shop.example\n', 'owner\u0000@shop.example', 'ówner@shop.example', 'owner@bücher.example',
  `${'a'.repeat(65)}@shop.example`, `a@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${'e'.repeat(63)}.example`, '27821234567',
]; // prettier-ignore
const msisdns = ['27821234567', '+27821234567', '1234567', '123456789012345'];
const notMsisdns = [
  '', '+', '0821234567', '+0821234567', '123456', '1234567890123456', '+27 82 123 4567', '27-82', '２７８２１２３４５６７', '27821234567\n', 'owner@shop.example',
]; // prettier-ignore

/** A well-formed address of so many characters. */
const emailOf = (chars: number) => {
  const [local, ending] = ['a'.repeat(64), `.${'c'.repeat(63)}.${'d'.repeat(56)}.example`];
  return `${local}@${'b'.repeat(chars - local.length - ending.length - 1)}${ending}`;
};

describe('values of recipients', () => {
  it('an e-mail address has at most 254 characters (R-2.4-2)', () => {
    expect([254, 255].map(chars => isRecipientValue('EMAIL', emailOf(chars)))).toEqual([true, false]);
  });

  it.each(emails)('%s is an e-mail address (R-2.4-2)', value => expect(isRecipientValue('EMAIL', value)).toBe(true));
  it.each(notEmails)('%j is none (R-2.4-2, T-25)', value => expect(isRecipientValue('EMAIL', value)).toBe(false));
  it.each(['ówner@shop.example', 'owner@bücher.example', '用户@例子.example'])(
    'regression: %s is refused with the reason (R-2.4-2)',
    value => expect(valueRuleOf('EMAIL', value)).toContain('ASCII'),
  );
  it.each(msisdns)('%s is an international number (R-2.4-2)', value => expect(isRecipientValue('SMS', value)).toBe(true));
  it.each(notMsisdns)('%j is none (R-2.4-2, T-25)', value => expect(isRecipientValue('SMS', value)).toBe(false));

  it('nothing that could end a header line or hold a second address ever passes (T-25)', () => {
    const hostile = fc
      .tuple(fc.string(), fc.constantFrom('\r', '\n', ',', ';', '<', '>', ' ', '\0', '"', '(', '\\'), fc.string())
      .map(parts => parts.join(''));
    fc.assert(fc.property(hostile, fc.constantFrom(...channels), (value, type) => !isRecipientValue(type, value)));
  });

  it('a masked value is no address (T-17)', () => {
    expect(maskedRecipient({ type: 'EMAIL', value: 'owner@shop.example' })).toBe('o***@shop.example');
    expect(maskedRecipient({ type: 'SMS', value: '27821234567' })).toBe('***567');
  });
});
