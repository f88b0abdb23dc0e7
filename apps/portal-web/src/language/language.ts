import { IntlMessageFormat } from 'intl-messageformat';
import { createElement, Fragment, type ReactNode, useEffect } from 'react';
import type es from './es.json';

/** An English text of the pages. It is its own name in the catalogues, so a text that es.json lacks does not compile. */
export type Text = keyof typeof es;
/** Words in the reader's language, or that are the same in each: a name, a status. */
export type Said = string & { readonly isSaid: true };
export type Words = Text | Said;

/** Each named in itself. */
export const languages = { en: 'English', es: 'Español', ar: 'العربية' } as const;
export type Language = keyof typeof languages;

const key = 'paycode-language';
const catalogues = { es: () => import('./es.json'), ar: () => import('./ar.json') };
let catalogue: Partial<Record<string, string>> = {};
let locale: string | undefined;

/** The person's choice, else the first language of the browser that the portal speaks. */
export function currentLanguage(): Language {
  const wished = [localStorage.getItem(key) ?? '', ...navigator.languages].map(tag => tag.split('-')[0]!);
  return (wished.find(tag => Object.hasOwn(languages, tag)) ?? 'en') as Language;
}

/** For the next load of a page. false: this browser has it already. */
export function keepLanguage(language: Language): boolean {
  const isNew = localStorage.getItem(key) !== language;
  localStorage.setItem(key, language);
  return isNew;
}

/** Before the first page. Without its catalogue, which may be out of reach, the portal speaks English. */
export async function startLanguage(): Promise<void> {
  const wished = currentLanguage();
  const found = wished === 'en' ? {} : await catalogues[wished]().then(module => module.default, () => undefined); // prettier-ignore
  const language = found ? wished : 'en';
  catalogue = found ?? {};
  const tag = navigator.languages.find(each => each.startsWith(language)) ?? (localStorage.getItem(key) ? language : undefined);
  // Amounts are read back as they are shown, in the digits of every keyboard.
  locale = tag && language === 'ar' ? `${tag}-u-nu-latn` : tag;
  Object.assign(document.documentElement, { lang: language, dir: language === 'ar' ? 'rtl' : 'ltr' });
}

/** In which dates and amounts are written; undefined: the browser's. */
export const currentLocale = (): string | undefined => locale;

/** A name, a status or another word that is the same in each language. */
export const asIs = (word: string | number) => String(word) as Said;

type Values = Record<string, string | number>;
const formats = new Map<string, IntlMessageFormat>();

function formatOf(text: Text): IntlMessageFormat {
  const made = formats.get(text) ?? new IntlMessageFormat(catalogue[text] ?? text, locale);
  formats.set(text, made);
  return made;
}

/** The text in the reader's language. With values it is an ICU message: `{count, plural, one {# payment} other {# payments}}`. */
export function t(text: Words, values?: Values): Said {
  return (values ? formatOf(text as Text).format<string>(values) : (catalogue[text] ?? text)) as Said;
}

/** A sentence that a service answers in English: it is its own name, with its numbers as values in turn: `Please wait {a} s.` */
export function told(sentence: string): Said {
  const values: Values = {};
  const name = sentence.replace(/\d+/g, number => {
    const value = 'abcdef'.charAt(Object.keys(values).length);
    values[value] = number;
    return `{${value}}`;
  });
  return Object.hasOwn(catalogue, name) ? t(name as Text, values) : t(asIs(sentence));
}

/** Sets the title of the browser's tab. */
export function useTitle(title: Words): void {
  useEffect(() => void (document.title = `${t(title)} · Paycode`), [title]);
}

type Part = ReactNode | ((parts: ReactNode[]) => ReactNode);
const marks = Object.fromEntries(
  ['strong', 'code'].map(mark => [mark, (parts: ReactNode[]) => createElement(mark, null, ...parts)]),
);

/** The same with elements in it: `{at}` stands for one, `<link>…</link>` for one around words. `<strong>` and `<code>` are known. */
export function rich(text: Text, parts: Record<string, Part> = {}): ReactNode {
  const said = formatOf(text).format<ReactNode>({ ...marks, ...parts } as Record<string, never>);
  return createElement(Fragment, null, ...[said].flat());
}
