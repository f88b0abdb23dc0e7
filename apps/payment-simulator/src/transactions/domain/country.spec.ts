import { countryCodes } from './country';

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
/** Regions of the Unicode CLDR whose codes are no country's: reserved or for private use. */
const reserved = ['AC', 'CP', 'CQ', 'DG', 'EA', 'EU', 'EZ', 'IC', 'QO', 'TA', 'UN', 'XA', 'XB', 'XK', 'ZZ'];

describe('the codes of countries (A-86)', () => {
  it('are those that the Unicode CLDR has names for, without old ones and reserved ones', () => {
    const pairs = letters.flatMap(first => letters.map(second => first + second));
    const current = pairs.filter(code => names.of(code) && new Intl.Locale(`und-${code}`).region === code);
    expect(countryCodes).toEqual(current.filter(code => !reserved.includes(code)));
    expect(countryCodes).toHaveLength(249);
  });
});
