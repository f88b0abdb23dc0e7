import type { PortalAlert } from '@paycode/dto';
import { alertEmail } from './alert-text';

const about = (over: Partial<PortalAlert> = {}): PortalAlert => ({
  kind: 'REVERSED',
  merchantId: 1001,
  payments: 12,
  sinceAt: '2026-11-27T14:05:09.000Z',
  sums: [],
  ...over,
});
const mail = (over: Partial<PortalAlert> = {}, tenant = 'merchant 1001') =>
  alertEmail({
    alert: about(over),
    tenant,
    link: 'https://pay.example/console/payments',
    stopPage: 'https://pay.example/console/alerts/stop#s',
    stopUrl: 'https://pay.example/console/api/alerts/stop/s',
  });

describe('an alert by e-mail', () => {
  it.each([
    [{ kind: 'RECEIVER_FAILS' as const }, 'Your server failed 12 payments since 14:05 UTC'],
    [{ kind: 'RECEIVER_WORKS' as const, payments: 0 }, 'Your server works again'],
    [{ kind: 'CERTIFICATE_ENDS' as const }, 'The certificate of your server ends on 27 November 2026'],
    [{ kind: 'KEY_OLD' as const }, 'The key of your notifications is older than a year'],
    [{}, '12 payments were reversed since 14:05 UTC'],
    [{ payments: 1 }, '1 payment was reversed since 14:05 UTC'],
  ])('says the fact in its subject: %j', (over, subject) => {
    expect(mail(over).subject).toBe(subject);
  });

  it('names the money by currency, with the decimals of each', () => {
    const sums = ['ZAR', 'EUR', 'JPY'].map(currencyCode => ({ currencyCode, amount: '1250.5000' }));
    expect(mail({ sums }).text).toContain('ZAR\u00a01,250.50, EUR\u00a01,250.50 and JPY\u00a01,250.5');
    expect(mail({ sums: sums.slice(0, 1), merchantId: null }).text).toContain(
      'ZAR\u00a01,250.50 went back to customers, because servers of several',
    );
    expect(mail().text).toContain('The money went back to customers');
  });

  it('of a new device says when, by which browser, from where and what to do, and ends no mails', () => {
    const device = { browser: 'Firefox', system: 'Windows', addressStart: '203.0.113' } as const;
    const of = { tenant: 'merchant 1001', link: 'https://pay.example/console/security' };
    const { text, html, ...rest } = alertEmail({ ...of, alert: about({ kind: 'NEW_DEVICE', merchantId: null, device }) });
    for (const part of [text, html]) {
      expect(part).toContain(
        'Firefox on Windows, on 27 November 2026 at 14:05 UTC, from an internet address that begins with 203.0.113.',
      );
      expect(part).toMatch(/change your password.*cannot be switched off/s);
      expect(part).not.toContain('Stop these e-mails');
    }
    expect(rest).toEqual({ subject: 'New sign-in to your Paycode account' });
  });

  it('has one link to the page that shows more and one that ends such mails, in text and HTML (T-25)', () => {
    const { text, html, stopUrl } = mail({}, 'acquirer <b>Bank</b>\r\nBcc: x@y');
    for (const part of [text, html]) {
      expect(part).toContain('https://pay.example/console/payments');
      expect(part).toContain('https://pay.example/console/alerts/stop#s');
    }
    expect([html.match(/<a /g)!.length, html.includes('<b>'), text.includes('\nBcc')]).toEqual([2, false, false]);
    expect(stopUrl).toBe('https://pay.example/console/api/alerts/stop/s');
  });

  describe('with a statement', () => {
    const part = (count: number, amount: string) => ({ count, amount });
    const sums = (currencyCode: string, amount: string) => {
      const [one, none] = [part(1, amount), part(0, '0')];
      return { currencyCode, paid: one, settled: one, reversed: none, waiting: none, refunded: none, tips: '0' };
    };
    const statement = (period: string, totals = [sums('JPY', '500'), sums('ZAR', '1250.50')]) =>
      mail({ kind: 'STATEMENT', merchantId: null, statement: { period, timeZone: 'Pacific/Apia', totals } }, 'PSP 3');

    it('names the day or the month and the account in its subject', () => {
      expect(statement('2026-11-27').subject).toBe('Statement for 27 November 2026, PSP 3');
      expect(statement('2026-02').subject).toBe('Statement for February 2026, PSP 3');
    });

    it('holds the sums of each currency in text and in a table, the days of the zone, and two links', () => {
      const { text: said, html, stopUrl } = statement('2026-11-27');
      const text = said.replaceAll('\u00a0', ' ');
      expect(text).toContain('Days of Pacific/Apia.');
      expect(text).toContain('JPY\nPaid: JPY 500 (1)\nSettled: JPY 500 (1)\nReversed: JPY 0 (0)');
      expect(text).toContain('ZAR\nPaid: ZAR 1,250.50 (1)');
      expect([html.match(/<tbody>/g)!.length, html.match(/<a /g)!.length]).toEqual([2, 2]);
      expect(stopUrl).toBeDefined();
    });

    it('says in one line that there were no payments', () => {
      const { text, html } = statement('2026-11-27', []);
      expect(text).toContain('\n\nNo payments and no refunds. Days of Pacific/Apia.\n\nOpen the statement: ');
      expect(html).not.toContain('<table>');
    });
  });
});
