import { codes, code as entryOf } from 'currency-codes';
import { amendments, currencyCodes, decimalsOf, inCurrency } from './currency';

/** proves: R-2.5-3, A-57 */
describe('currencies of ISO 4217', () => {
  it.each([
    ...[
      ['ZAR', 2],
      ['EUR', 2],
      ['JPY', 0],
      ['KRW', 0],
      ['KWD', 3],
      ['TND', 3],
    ],
    // The tables behind Intl give these other decimals: 0, as cash is used.
    ...['AFN', 'ALL', 'COP', 'HUF', 'IDR', 'IRR', 'KPW', 'LAK', 'LBP', 'MGA', 'MMK', 'PKR', 'SOS', 'SYP', 'YER'].map(code => [
      code,
      2,
    ]),
    ['IQD', 3],
    // Intl does not know these.
    ...[
      ['CLF', 4],
      ['UYW', 4],
      ['UYI', 0],
      ['COU', 2],
      ['CHE', 2],
      ['VED', 2],
      ['XAU', 0],
    ],
    // Newer than the list of the package.
    ...[
      ['XCG', 2],
      ['XAD', 2],
      ['ZWG', 2],
      ['SLE', 2],
    ],
  ] as [string, number][])('regression: %s has %i decimals', (code, decimals) => {
    expect([currencyCodes.includes(code), decimalsOf(code)]).toEqual([true, decimals]);
  });

  it.each(['HRK', 'BGN', 'ANG', 'CUC', 'ZWL', 'SLL', 'LTL', 'DEM', 'zar', 'Zar', 'ZZZ', 'BTC', '710', '', 'ZAR '])(
    'regression: %j is no currency in use',
    code => {
      expect(currencyCodes).not.toContain(code);
    },
  );

  it('every amendment of ours still differs from the list of the package', () => {
    const known = Object.entries(amendments).filter(
      ([code, digits]) => (codes().includes(code) ? entryOf(code)!.digits : null) === digits,
    );
    expect(known).toEqual([]);
  });

  it.each([
    ['10', 'ZAR', '10.00'],
    ['10.000', 'ZAR', '10.00'],
    ['25.5', 'ZAR', '25.50'],
    ['500.000', 'JPY', '500'],
    ['100', 'JPY', '100'],
    ['0', 'ZAR', '0.00'],
    ['10.50', 'HUF', '10.50'],
    ['1.5', 'KWD', '1.500'],
    ['10.5', 'CLF', '10.5000'],
    ['999999999999999', 'ZAR', '999999999999999.00'],
    // A core may send what the currency does not have, and a currency may be withdrawn: no digit is lost.
    ['0.505', 'JPY', '0.505'],
    ['10.005', 'ZAR', '10.005'],
    ['10.000', 'HRK', '10.00'],
  ])('%s %s is written %s', (digits, currency, written) => {
    expect(inCurrency(digits, currency)).toBe(written);
  });
});
