import { readAmount } from './read-amount';

describe('an amount as people write it', () => {
  it.each([
    ['1.234,50', 'de-DE', '1234.50'],
    ['1,234.50', 'en-US', '1234.50'],
    ['1.234,50', 'en-US', '1234.50'],
    ['1 234,50', 'en-ZA', '1234.50'],
    ['1\u00a0234,50', 'fr-FR', '1234.50'],
    ['1’234.50', 'de-CH', '1234.50'],
    ['12,34,567.00', 'en-US', undefined],
    ['1.234.567', 'de-DE', '1234567'],
    ['1.234', 'de-DE', '1234'],
    ['1,234', 'en-US', '1234'],
    ['R 42', 'en-ZA', '42'],
    ['R42,5', 'en-ZA', '42.5'],
    ['42 €', 'de-DE', '42'],
    ['ZAR 42.00', 'en-ZA', '42.00'],
    ['US$ 1,000', 'en-US', '1000'],
    [',50', 'de-DE', '0.50'],
    ['0.1234', 'en-US', '0.1234'],
  ])('%s, read by %s', (text, locale, amount) => {
    const read = readAmount(text, locale);
    expect(read && 'amount' in read ? read : undefined).toEqual(amount === undefined ? undefined : { amount, isSure: true });
  });

  it('digits alone may also be an id, a code or a reference', () => {
    expect(readAmount('42', 'en-ZA')).toEqual({ amount: '42', isSure: false });
  });

  it.each(['order-42', '', 'R', '1-2', '+27 82', '4242424242424242424'])('%j is none', text => {
    expect(readAmount(text, 'en-ZA')).toBeUndefined();
  });

  it('names what can be read in two ways, and what is no amount of any notation', () => {
    expect(readAmount('1.234', 'en-US')).toEqual({ problem: '“1.234” can be 1234 or 1.234: write 1234, or 1.2340.' });
    expect(readAmount('1,234', 'de-DE')).toMatchObject({ problem: expect.stringContaining('1,234') as string });
    expect(readAmount('1.23.456,7', 'de-DE')).toMatchObject({ problem: expect.stringContaining('three digits') as string });
    expect(readAmount('0.1234567', 'en-US')).toMatchObject({ problem: expect.stringContaining('6 decimals') as string });
  });
});
