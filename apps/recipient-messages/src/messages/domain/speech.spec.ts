import { languages } from '@paycode/dto/people';
import { alertKinds, changeNoticeKinds, invitationReasons, type PortalAlert } from '@paycode/dto';
import ar from './ar.json';
import { alertEmail } from './alert-text';
import es from './es.json';
import type { EmailText } from './message';
import { changeNoticeEmail, fourEyesEmail, invitationEmail } from './message-texts';
import { Speech, type Text } from './speech';

const texts = Object.keys(es) as Text[];
const valuesOf = (message: string) => [...new Set([...message.matchAll(/\{(\w+)[,}]/g)].map(([, name]) => name!))].sort();

const readers = {
  en: { language: 'en', timeZone: 'Africa/Johannesburg' },
  es: { language: 'es', timeZone: 'Africa/Johannesburg' },
  ar: { language: 'ar', timeZone: 'Africa/Johannesburg' },
} as const;
const at = '2026-11-27T14:05:09.000Z';
const of = { tenant: 'T', link: 'https://pay.example/console/x' };
const device = { browser: 'another browser', system: 'Linux', addressStart: '203.0.113' } as const;
const part = { count: 2, amount: '1.00' };
const totals = [{ currencyCode: 'ZAR', paid: part, settled: part, reversed: part, waiting: part, refunded: part, tips: '0.00' }];
const statement = { period: '2026-11-27', timeZone: 'Africa/Johannesburg', totals };
const alert: PortalAlert = { kind: 'REVERSED', merchantId: 1001, payments: 3, sinceAt: at, sums: [], device, statement };

/** Every mail to people of the portal, but for what merchant, sums and address change in a sentence. */
function mailsFor(reader: (typeof readers)[keyof typeof readers]): EmailText[] {
  return [
    ...alertKinds.map(kind => alertEmail({ ...of, alert: { ...alert, kind }, reader })),
    ...invitationReasons.map(reason => invitationEmail({ ...of, reason, expiresAt: at, reader })),
    ...changeNoticeKinds.map(change => changeNoticeEmail({ merchantId: 7, change, actor: 'A', occurredAt: at, reader })),
    fourEyesEmail({ ...of, name: 'N', askedBy: 'B', what: 'W', expiresAt: at, reader }),
  ];
}

/** proves: A-96 */
describe('the languages of mails to people of the portal', () => {
  it.each(Object.entries({ es, ar }))('%s has every text, with its values and no other', (_, catalogue) => {
    const said = catalogue as Record<Text, string>;
    expect(Object.keys(said)).toEqual(texts);
    expect(texts.filter(text => said[text] === '' || valuesOf(said[text]).join() !== valuesOf(text).join())).toEqual([]);
  });

  it.each(languages)('%s says each text with its values', language => {
    const speech = new Speech({ language, timeZone: null });
    for (const text of texts) {
      const values = Object.fromEntries(valuesOf(text).map(name => [name, name === 'payments' ? 11 : `<${name}>`]));
      const said = speech.say(text, values);
      for (const value of Object.values(values)) expect(said).toContain(String(value));
    }
  });

  it('no mail is half in English', () => {
    const [english, spanish, arabic] = languages.map(language => mailsFor(readers[language]));
    english!.forEach((mail, nr) => {
      for (const other of [spanish![nr]!, arabic![nr]!]) {
        const common = mail.text.split(/\n+/).filter(line => ![of.link, 'ZAR', ''].includes(line));
        expect(common.filter(line => other.text.includes(line))).toEqual([]);
        expect(other.subject).not.toBe(mail.subject);
      }
      expect(arabic![nr]!.html).toContain('<html lang="ar" dir="rtl">');
      expect(arabic![nr]!.text.replaceAll(/https:\S+|Africa\/Johannesburg|ZAR|HTTP|TLS|URL|Paycode|UTC|Linux/g, '')).not.toMatch(
        /[a-z]{2}/i,
      );
      expect(spanish![nr]!.html).toContain('<html lang="es">');
    });
  });

  it('times are of the zone of the reader, and money has its signs and every digit', () => {
    const sums = [{ currencyCode: 'ZAR', amount: '999999999999999.9900' }];
    const said = (['en', 'es', 'ar'] as const).map(language => {
      const speech = new Speech(readers[language]);
      return [speech.dayTime(at), speech.time(at), speech.money(sums)].join(' | ').replaceAll('\u00a0', ' ');
    });
    expect(said).toEqual([
      '27 November 2026 at 16:05 GMT+2 | 16:05 GMT+2 | ZAR 999,999,999,999,999.99',
      '27 de noviembre de 2026 a las 16:05 GMT+2 | 16:05 GMT+2 | 999.999.999.999.999,99 ZAR',
      '27 نوفمبر 2026 في 04:05 م غرينتش+2 | 04:05 م غرينتش+2 | \u200f999,999,999,999,999.99 ZAR',
    ]);
    for (const timeZone of [null, 'Mars/Olympus']) expect(new Speech({ language: null, timeZone }).time(at)).toBe('14:05 UTC');
  });

  it('a name within Arabic keeps its own direction, and has no markup in any language (T-25)', () => {
    const name = 'Ann <b>Lee</b>';
    for (const language of languages) {
      const { text, html } = fourEyesEmail({ ...of, name, askedBy: name, what: 'W', expiresAt: at, reader: readers[language] });
      expect(text).toContain(language === 'ar' ? `\u2068${name}\u2069` : name);
      expect(html).not.toContain('<b>');
    }
  });
});
