import { decimalsOf } from '@paycode/dto';
import { catalogue, type Language, languages, type Messages } from './messages';

/** The reader of the page: language, texts and locales. */
export interface Payer {
  language: Language;
  messages: Messages;
  /** Of amounts: decimal sign and grouping, as the payer writes them at home. */
  numberLocale: string;
  /** Of dates and names of countries, which are words: of the page's language. */
  wordLocale: string;
}

const tagsMax = 10;
const tagForm = /^[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|\d{3}))?$/i;

const isLanguage = (text: string): text is Language => (languages as readonly string[]).includes(text);
const languageOf = (tag: string) => tag.split('-')[0]!.toLowerCase();

/** `wish`: the language chosen on the page, before what the browser asks for. English where neither is in the catalogue. */
export function payerOf({ acceptLanguage = '', wish }: { acceptLanguage: string | undefined; wish: unknown }): Payer {
  const tags = tagsOf(acceptLanguage);
  const chosen = languages.find(language => language === wish);
  const language = chosen ?? tags.map(languageOf).find(isLanguage) ?? 'en';
  const [first = language] = tags;
  const wordLocale = tags.find(tag => languageOf(tag) === language) ?? language;
  return { language, messages: catalogue[language], wordLocale, numberLocale: chosen ? wordLocale : first };
}

/** Tags of an Accept-Language (RFC 9110, 12.5.4) that this machine knows, the best first. */
function tagsOf(header: string): string[] {
  return header
    .split(',', tagsMax)
    .map(part => {
      const [tag = '', quality = ''] = part.split(';');
      const q = Number(/^\s*q=([\d.]{1,5})\s*$/.exec(quality)?.[1] ?? 1);
      return { tag: tag.trim(), q };
    })
    .filter(({ tag, q }) => q > 0 && tagForm.test(tag) && Intl.NumberFormat.supportedLocalesOf(tag).length > 0)
    .sort((a, b) => b.q - a.q)
    .map(({ tag }) => tag);
}

/** An exact decimal as the payer reads it, with the decimals of its currency. Digits stay 0 to 9: the same can be typed. */
export function moneyFor(payer: Payer, digits: string, currency: string): string {
  const decimals = { minimumFractionDigits: decimalsOf(currency), maximumFractionDigits: decimalsOf(currency) };
  const format = new Intl.NumberFormat(payer.numberLocale, { style: 'currency', currency, numberingSystem: 'latn', ...decimals });
  // As text, an amount never passes through a float.
  return format.format(digits as Intl.StringNumericLiteral);
}
