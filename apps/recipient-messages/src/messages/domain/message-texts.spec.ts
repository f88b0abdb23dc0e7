import { notificationOf } from '@paycode/dto/testing';
import fc from 'fast-check';
import {
  changeNoticeEmail,
  cutToSeptets,
  moneyText,
  paymentEmail,
  paymentSms,
  plainText,
  septetsMax,
  septetsOf,
  toGsm7,
} from './message-texts';

const anyText = fc.string({ unit: 'grapheme', maxLength: 60 });
const anyNotification = fc
  .record({ merchantName: anyText, reference: anyText, amount: fc.constantFrom('0.01', '110.10', '999999999999.99') })
  .map(fields => notificationOf(9_007_199_254_740_991, fields));

describe('texts for recipients', () => {
  it('foreign text never makes a second line, a header or a change of text direction (T-25)', () => {
    expect(plainText('a\r\nBcc: x@y\u2028b\u202ec\u0000', 100)).toBe('a Bcc: x@y b c');
    fc.assert(fc.property(anyNotification, n => !/[\r\n]/.test(paymentEmail(n).subject + paymentSms(n))));
  });

  it('a value that is too long is cut and marked (T-25)', () => {
    expect([plainText('abcd', 4), plainText('abcde', 4), plainText('😀😀😀', 2)]).toEqual(['abcd', 'abc…', '😀…']);
  });

  it('no line of an e-mail begins with foreign text, and HTML is escaped (T-25)', () => {
    const { text, html } = paymentEmail(
      notificationOf(1, { reference: '=HYPERLINK("http://x")', merchantName: '<script>alert(1)</script>' }),
    );
    expect(text.split('\n').filter(line => /^[=+@-]/.test(line))).toEqual([]);
    expect(text).toContain('Reference: =HYPERLINK');
    expect(html).not.toContain('<script>');
    expect(html).toContain('&lt;script&gt;');
  });

  it('an e-mail shows the payment, and of the card no more than its kind and last four digits (R-2.5-15, R-6.2-3)', () => {
    const { subject, text, html } = paymentEmail(notificationOf(77));
    expect(subject).toBe('Payment received: ZAR 110.10, transaction 77');
    expect(text).toContain('Card: VISA ending in 0002');
    for (const part of [subject, text, html]) expect(part).not.toMatch(/400000|A EXAMPLE|27820000001/);
  });

  const footer = 'This message is for information. Check the status of a payment with your system before you act on it.';

  it('an e-mail has a line for each known field, as text and as HTML (R-6.2-3)', () => {
    const { text, html } = paymentEmail(
      notificationOf(78, { status: 'BANK_REJECTED', tipAmount: '5', referenceTransactionId: 77, reference: 'a & b' }),
    );
    const lines = [
      'Merchant: Corner Shop',
      'Status: bank rejected',
      'Amount: ZAR 110.10',
      'Tip: ZAR 5.00',
      'Reference: a & b',
      'Code: 0123456789',
      'Transaction: 78',
      'Original transaction: 77',
      'Card: VISA ending in 0002',
      'Authorisation code: A1B2C3',
    ];
    expect(text).toBe(['Payment not completed', '', ...lines, '', footer, ''].join('\n'));
    const items = lines.map(line => `<li>${line.replace('&', '&amp;')}</li>`).join('');
    expect(html).toBe(
      `<!doctype html><html lang="en"><body><h1>Payment not completed</h1><ul>${items}</ul><p>${footer}</p></body></html>`,
    );
  });

  it('an e-mail has no line for an unknown field', () => {
    const { code: _, cardInfo, bankResponse, ...known } = notificationOf(79);
    const labelsOf = (last4: string | null) => {
      const card = { ...cardInfo, cardType: null, last4 };
      const { text } = paymentEmail({ ...known, cardInfo: card, bankResponse: { ...bankResponse, authCode: null } });
      return text.split('\n').filter(line => line.includes(': '));
    };
    const lines = ['Merchant: Corner Shop', 'Status: success', 'Amount: ZAR 110.10', 'Reference: order-79', 'Transaction: 79'];
    expect(labelsOf(null)).toEqual(lines);
    expect(labelsOf('0002')).toEqual([...lines, 'Card: card ending in 0002']);
  });

  it('a reference that does not fit fills the short message to its end and no further', () => {
    const sms = paymentSms(notificationOf(80, { merchantName: '€'.repeat(30), reference: '€'.repeat(45) }));
    const [start, end] = [`${'€'.repeat(15)}: Payment received, ZAR 110.10. Ref `, '. Tx 80'];
    const room = Math.floor((septetsMax - septetsOf(start + end)) / 2);
    expect(sms).toBe(`${start}${'€'.repeat(room)}${end}`);
  });

  it('a short message is one message in the GSM alphabet, whatever names and references say', () => {
    fc.assert(
      fc.property(anyNotification, n => {
        const sms = paymentSms(n);
        expect(toGsm7(sms)).toBe(sms);
        expect(septetsOf(sms)).toBeLessThanOrEqual(160);
        expect(sms.endsWith('. Tx 9007199254740991')).toBe(true);
      }),
    );
  });

  it.each([
    ['ZAR', '19.9', 'ZAR 19.90'],
    ['ZAR', '7', 'ZAR 7.00'],
    ['ZAR', '110.105', 'ZAR 110.105'],
    ['JPY', '500', 'JPY 500'],
    ['HUF', '10.5', 'HUF 10.50'],
    ['IDR', '10000', 'IDR 10000.00'],
    ['CLF', '10.5', 'CLF 10.5000'],
    ['KWD', '1.5', 'KWD 1.500'],
    ['USD', '999999999999999.99', 'USD 999999999999999.99'],
  ])('money is written with the decimals of its currency and loses no digit: %s %s (A-57)', (currency, amount, text) => {
    expect(moneyText(currency, amount)).toBe(text);
  });

  it('a short message says what happened', () => {
    expect(paymentSms(notificationOf(77))).toBe('Corner Shop: Payment received, ZAR 110.10. Ref order-77. Tx 77');
    expect(paymentSms(notificationOf(78, { status: 'REVERSED', referenceTransactionId: 77 }))).toContain('Payment reversed');
    expect(paymentSms(notificationOf(79, { status: 'BANK_REJECTED', merchantName: 'Café Łódź €uro' }))).toBe(
      'Café ?odz €uro: Payment not completed, ZAR 110.10. Ref order-79. Tx 79',
    );
  });

  it('a change notice names neither URL nor key (T-15)', () => {
    const { subject, text, html } = changeNoticeEmail({
      change: 'KEY_CHANGED',
      merchantId: 7,
      actor: 'psp-1',
      occurredAt: '2025-06-01T10:00:00.000Z',
    });
    expect(subject).toBe('The notification key was renewed, merchant 7');
    const lines = ['Merchant: 7', 'Changed by: psp-1', 'At: 1 June 2025 at 10:00 UTC'];
    const [headline, advice] = [
      'The notification key was renewed',
      'If you did not expect this, contact support at once: notifications may be going elsewhere.',
    ];
    expect(text).toBe([headline, '', ...lines, '', advice, ''].join('\n'));
    expect(html).toBe(
      `<!doctype html><html lang="en"><body><h1>${headline}</h1><ul>${lines.map(line => `<li>${line}</li>`).join('')}</ul><p>${advice}</p></body></html>`,
    );
  });
});

describe('the GSM alphabet', () => {
  it.each([
    ['Crème brûlée', 'Crème brulée'],
    ['e\u0301', 'é'],
    ['\u0301', '?'],
    ['日本 각', '?? ?'],
    ['{€}', '{€}'],
  ])('writes %j as %j', (text, gsm) => {
    expect(toGsm7(text)).toBe(gsm);
  });

  it('counts one septet a character, two for those behind an escape', () => {
    expect(['', 'abc', '€', 'a[1]'].map(septetsOf)).toEqual([0, 3, 2, 6]);
  });

  it('cuts between characters, never within an escape', () => {
    expect([0, 2, 3, 4].map(limit => cutToSeptets('abc', limit))).toEqual(['', 'ab', 'abc', 'abc']);
    expect([1, 2, 3, 5].map(limit => cutToSeptets('€€€', limit))).toEqual(['', '€', '€', '€€']);
  });
});
