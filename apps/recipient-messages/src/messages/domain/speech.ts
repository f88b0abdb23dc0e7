import { inCurrency } from '@paycode/dto';
import { isTimeZone, type Language, type ReadsIn, type TenantType } from '@paycode/dto/people';
import { IntlMessageFormat } from 'intl-messageformat';
import ar from './ar.json';
import es from './es.json';

/** An English text of mails, an ICU message. It is its own name in the catalogues, so a text that es.json lacks does not compile. */
export type Text = keyof typeof es;

const catalogues: Record<Language, Partial<Record<Text, string>>> = { en: {}, es, ar };
/** Arabic with the digits of every keyboard, as the pages have it. */
const locales: Record<Language, string> = { en: 'en-GB', es: 'es', ar: 'ar-u-nu-latn' };

const tenants: Record<TenantType, Text> = {
  MERCHANT: 'merchant {id}',
  PSP: 'psp {id}',
  ACQUIRER: 'acquirer {id}',
  OPERATOR: 'the platform',
};

const clock = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const;
const calendar = { day: 'numeric', month: 'long', year: 'numeric' } as const;

/** Texts, times and money for one reader. Nothing known of the reader: English, UTC. */
export class Speech {
  private readonly language: Language;
  private readonly timeZone: string;

  constructor({ language, timeZone }: Partial<ReadsIn> = {}) {
    this.language = language ?? 'en';
    this.timeZone = timeZone && isTimeZone(timeZone) ? timeZone : 'UTC';
  }

  /** A number chooses the form of its noun; other values are texts. The caller escapes the whole for HTML. */
  say(text: Text, values: Record<string, string | number> = {}): string {
    const message = new IntlMessageFormat(catalogues[this.language][text] ?? text, this.locale, undefined, { ignoreTag: true });
    return message.format<string>(
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, this.isolated(value)])),
    ) as string;
  }

  /** Whose people they are. */
  tenant({ tenantType, tenantId }: { tenantType: TenantType; tenantId: string }): string {
    return this.say(tenants[tenantType], { id: tenantId });
  }

  day(at: string): string {
    return this.when(at, calendar);
  }

  /** `2026-11-27` or `2026-11`, as its name. */
  period(period: string): string {
    const { day, ...month } = calendar;
    const isDay = period.length > 'yyyy-mm'.length;
    return new Intl.DateTimeFormat(this.locale, { ...month, ...(isDay && { day }), timeZone: 'UTC' }).format(new Date(period));
  }

  time(at: string): string {
    return this.when(at, clock);
  }

  dayTime(at: string): string {
    return this.when(at, { ...calendar, ...clock });
  }

  /** `ZAR 12.50 and EUR 3.00`. Digits stay text: a float would round large sums. */
  money(sums: readonly { currencyCode: string; amount: string }[]): string {
    const texts = sums.map(({ currencyCode: currency, amount }) => {
      const exact = inCurrency(amount, currency);
      const digits = exact.split('.')[1]?.length ?? 0;
      const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits };
      const options = { style: 'currency', currency, currencyDisplay: 'code', ...decimals } as const;
      return new Intl.NumberFormat(this.locale, options).format(exact as unknown as number);
    });
    return new Intl.ListFormat(this.locale).format(texts);
  }

  /** An HTML document. */
  html(body: string): string {
    const direction = this.isRightToLeft ? ' dir="rtl"' : '';
    return `<!doctype html><html lang="${this.language}"${direction}><body>${body}</body></html>`;
  }

  private get locale(): string {
    return locales[this.language];
  }

  private get isRightToLeft(): boolean {
    return this.language === 'ar';
  }

  private when(at: string, options: Intl.DateTimeFormatOptions): string {
    return new Intl.DateTimeFormat(this.locale, { ...options, timeZone: this.timeZone }).format(new Date(at));
  }

  /** Between FSI and PDI a name or an address keeps its own direction, and that of the sentence around it. */
  private isolated(value: string | number): string | number {
    return this.isRightToLeft && typeof value === 'string' ? `\u2068${value}\u2069` : value;
  }
}
