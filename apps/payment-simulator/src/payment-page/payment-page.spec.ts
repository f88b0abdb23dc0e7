import { html } from './payment-page';
import { catalogue, languages } from './messages';
import { moneyFor, payerOf } from './payer';

describe('who reads the payment page', () => {
  it.each([
    [undefined, undefined, 'en', 'en'],
    ['es-MX,es;q=0.9,en;q=0.5', undefined, 'es', 'es-MX'],
    ['en;q=0.2, es-AR;q=0.8', undefined, 'es', 'es-AR'],
    ['de-DE,de;q=0.9,en;q=0.8', undefined, 'en', 'de-DE'],
    ['de-DE,en', 'es', 'es', 'es'],
    ['en-ZA', 'en', 'en', 'en-ZA'],
    ['es;q=0', undefined, 'en', 'en'],
    ['*, x-klingon, es-1, ../../etc, en-aa-aa', undefined, 'en', 'en'],
    ['en-ZA', 'de', 'en', 'en-ZA'],
    ['en-ZA', ['es', 'en'], 'en', 'en-ZA'],
    [`${'q,'.repeat(10_000)}es`, undefined, 'en', 'en'],
  ] as const)('%s, with the wish %s: %s, with the numbers of %s', (...row) => {
    const [acceptLanguage, wish, language, numberLocale] = row;
    expect(payerOf({ acceptLanguage, wish })).toMatchObject({ language, numberLocale });
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

describe('html of the payment page', () => {
  it('escapes every value, so that text of a merchant is shown and never run', () => {
    const name = `<script>alert('1')</script>"&`;
    expect(html`<p title="${name}">${name}</p>`.text).toBe(
      '<p title="&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp;">&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp;</p>',
    );
  });

  it('joins lists of html, and an empty value gives no text', () => {
    const items = ['a', '<'].map(item => html`<li>${item}</li>`);
    expect(
      html`<ul>
        ${items}
      </ul>`.text.replace(/\s+/g, ''),
    ).toBe('<ul><li>a</li><li>&lt;</li></ul>');
    expect(html`<p>${null}${undefined}</p>`.text).toBe('<p></p>');
  });
});
