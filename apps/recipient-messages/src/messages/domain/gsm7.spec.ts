import { cutToSeptets, septetsOf, toGsm7 } from './gsm7';

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
