import fc from 'fast-check';
import { notification } from '../../testing/notification';
import { changeNoticeEmail } from './change-notice-message';
import { septetsOf, toGsm7 } from './gsm7';
import { paymentEmail, paymentSms } from './payment-message';
import { moneyText } from './money-text';
import { plainText } from './plain-text';

const anyText = fc.string({ unit: 'grapheme', maxLength: 60 });
const anyNotification = fc
  .record({ merchantName: anyText, reference: anyText, amount: fc.constantFrom('0.01', '110.10', '999999999999.99') })
  .map(fields => notification(9_007_199_254_740_991, fields));

describe('texts for recipients', () => {
  it('what others wrote never makes a second line, a header or a direction of its own (T-25)', () => {
    expect(plainText('a\r\nBcc: x@y\u2028b\u202ec\u0000', 100)).toBe('a Bcc: x@y b c');
    fc.assert(fc.property(anyNotification, n => !/[\r\n]/.test(paymentEmail(n).subject + paymentSms(n))));
  });

  it('no line of an e-mail begins with what others wrote, and HTML is escaped (T-25)', () => {
    const { text, html } = paymentEmail(
      notification(1, { reference: '=HYPERLINK("http://x")', merchantName: '<script>alert(1)</script>' }),
    );
    expect(text.split('\n').filter(line => /^[=+@-]/.test(line))).toEqual([]);
    expect(text).toContain('Reference: =HYPERLINK');
    expect(html).not.toContain('<script>');
    expect(html).toContain('&lt;script&gt;');
  });

  it('an e-mail shows the payment, and of the card no more than its kind and last four digits (R-2.5-15, R-6.2-3)', () => {
    const { subject, text, html } = paymentEmail(notification(77));
    expect(subject).toBe('Payment received: ZAR 110.10, transaction 77');
    expect(text).toContain('Card: VISA ending in 0002');
    for (const part of [subject, text, html]) expect(part).not.toMatch(/400000|A EXAMPLE|27820000001/);
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
    ['KWD', '1.5', 'KWD 1.500'],
    ['USD', '999999999999999.99', 'USD 999999999999999.99'],
  ])('money is written with the decimals of its currency and loses no digit: %s %s (A-57)', (currency, amount, text) => {
    expect(moneyText(currency, amount)).toBe(text);
  });

  it('a short message says what happened', () => {
    expect(paymentSms(notification(77))).toBe('Corner Shop: Payment received, ZAR 110.10. Ref order-77. Tx 77');
    expect(paymentSms(notification(78, { status: 'REVERSED', referenceTransactionId: 77 }))).toContain('Payment reversed');
    expect(paymentSms(notification(79, { status: 'BANK_REJECTED', merchantName: 'Café Łódź €uro' }))).toBe(
      'Café ?odz €uro: Payment not completed, ZAR 110.10. Ref order-79. Tx 79',
    );
  });

  it('a change notice names neither URL nor key (T-15)', () => {
    const { subject, text } = changeNoticeEmail({
      kind: 'KEY_CHANGED',
      merchantId: 7,
      actor: 'psp-1',
      occurredAt: '2025-06-01T10:00:00.000Z',
    });
    expect(subject).toBe('The notification key was renewed, merchant 7');
    expect(text).toContain('Changed by: psp-1');
    expect(text).not.toMatch(/https?:/);
  });
});
