import { readAmount } from './read-amount';

const noAmount = 'The amount must be a number such as 42 or 1234.50.';

describe('an amount as people write it', () => {
  it.each([
    ['1.234,50', 'de-DE', '1234.50'],
    ['1,234.50', 'en-US', '1234.50'],
    ['1.234,50', 'en-US', '1234.50'],
    ['42.50', 'de-DE', '42.50'],
    ['1 234,50', 'en-ZA', '1234.50'],
    ['1 234 567,5', 'en-ZA', '1234567.5'],
    ['1\u00a0234,50', 'fr-FR', '1234.50'],
    ['1’234.50 CHF', 'de-CH', '1234.50'],
    ['1.234.567', 'de-DE', '1234567'],
    ['1.234.567,5 €', 'de-DE', '1234567.5'],
    ['1.234', 'de-DE', '1234'],
    ['1,234', 'en-US', '1234'],
    ['1.234', 'en-US', '1.234'],
    ['R 42', 'en-ZA', '42'],
    ['R42,5', 'en-ZA', '42.5'],
    ['ZAR 42.00', 'en-ZA', '42.00'],
    ['US$ 1,000', 'en-US', '1000'],
    [',50', 'de-DE', '0.50'],
    ['R 007', 'en-ZA', '7'],
    ['0.1234', 'en-US', '0.1234'],
  ])('%s, read by %s, is %s', (text, locale, amount) => {
    expect(readAmount(text, locale)).toEqual({ amount, isSure: true });
  });

  it('digits alone may also be an id, a code or a reference', () => {
    expect(readAmount('42', 'en-ZA')).toEqual({ amount: '42', isSure: false });
  });

  it.each(['order-42', '', 'R', '-5', '1-2', '1e5', '4 2', '5%', '5.', '+27 82', '4242424242424242424'])('%j is none', text => {
    expect(readAmount(text, 'en-ZA')).toBeUndefined();
  });

  it.each([
    ['1.234', 'fr-FR', 'The amount may be 1234 or 1,234: write one of these.'],
    ['1,234', 'de-CH', 'The amount may be 1234 or 1.234: write one of these.'],
    ['1.23.456,7', 'de-DE', noAmount],
    ['1,23,456', 'en-US', noAmount],
    ['1.2.3', 'en-US', noAmount],
    ['12,34.5', 'en-US', noAmount],
    ['0.1234567', 'en-US', 'The amount has more than 15 digits, or more than 6 decimals.'],
  ])('%s, read by %s, is refused and never guessed: %s', (text, locale, problem) => {
    expect(readAmount(text, locale)).toEqual({ problem });
  });
});
