import { catalogue, languages } from './messages';
import { moneyFor, payerOf } from './payer';

describe('who reads the payment page', () => {
  it.each([
    [
      { acceptLanguage: undefined, wish: undefined },
      { language: 'en', numberLocale: 'en' },
    ],
    [
      { acceptLanguage: 'es-MX,es;q=0.9,en;q=0.5', wish: undefined },
      { language: 'es', numberLocale: 'es-MX' },
    ],
    [
      { acceptLanguage: 'en;q=0.2, es-AR;q=0.8', wish: undefined },
      { language: 'es', numberLocale: 'es-AR' },
    ],
    [
      { acceptLanguage: 'de-DE,de;q=0.9,en;q=0.8', wish: undefined },
      { language: 'en', numberLocale: 'de-DE' },
    ],
    [
      { acceptLanguage: 'de-DE,en', wish: 'es' },
      { language: 'es', numberLocale: 'es' },
    ],
    [
      { acceptLanguage: 'en-ZA', wish: 'en' },
      { language: 'en', numberLocale: 'en-ZA' },
    ],
    [
      { acceptLanguage: 'es;q=0', wish: undefined },
      { language: 'en', numberLocale: 'en' },
    ],
    [
      { acceptLanguage: '*, x-klingon, es-1, ../../etc, en-aa-aa', wish: undefined },
      { language: 'en', numberLocale: 'en' },
    ],
    [
      { acceptLanguage: 'en-ZA', wish: 'de' },
      { language: 'en', numberLocale: 'en-ZA' },
    ],
    [
      { acceptLanguage: 'en-ZA', wish: ['es', 'en'] },
      { language: 'en', numberLocale: 'en-ZA' },
    ],
    [
      { acceptLanguage: `${'q,'.repeat(10_000)}es`, wish: undefined },
      { language: 'en', numberLocale: 'en' },
    ],
  ] as const)('%j: %j', (asked, payer) => {
    expect(payerOf(asked)).toMatchObject(payer);
  });

  it('an amount keeps every digit, and has the decimals of its currency (A-96)', () => {
    const payer = payerOf({ acceptLanguage: 'en-US', wish: undefined });
    expect(moneyFor(payer, '999999999999999.99', 'EUR')).toBe('€999,999,999,999,999.99');
    expect(moneyFor(payer, '5', 'EUR')).toBe('€5.00');
    expect(moneyFor(payer, '500', 'JPY')).toBe('¥500');
    // Intl would round these to whole numbers.
    expect(moneyFor(payer, '10.50', 'HUF')).toBe('HUF\u00a010.50');
    expect(moneyFor(payer, '10.5', 'CLF')).toBe('CLF\u00a010.5000');
  });

  it('each language says everything, with the places of English (A-96)', () => {
    const placesOf = (text: string) => text.match(/\{\w+\}/g)?.toSorted() ?? [];
    for (const language of languages)
      for (const [name, text] of Object.entries(catalogue.en)) {
        const other = catalogue[language][name as keyof typeof catalogue.en];
        if (typeof text === 'string') expect(placesOf(other as string)).toEqual(placesOf(text));
        else expect(Object.keys(other)).toEqual(Object.keys(text));
      }
  });
});
