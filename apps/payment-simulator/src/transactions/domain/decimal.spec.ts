import fc from 'fast-check';
import { addDecimals, amountProblem, compareDecimals, decimalForm, plainAmount } from './decimal';

const cents = fc.integer({ min: 0, max: 1_000_000_000 });
const text = (value: number) => `${Math.floor(value / 100)}.${String(value % 100).padStart(2, '0')}`;

describe('exact amounts (A-57)', () => {
  it('are added without floats', () => {
    expect(addDecimals('0.1', '0.2')).toBe('0.3');
    expect(addDecimals('110.10', '5')).toBe('115.10');
    expect(addDecimals('5', '7')).toBe('12');
    expect(addDecimals('999999999999999', '0.000001')).toBe('999999999999999.000001');
    fc.assert(fc.property(cents, cents, (a, b) => expect(addDecimals(text(a), text(b))).toBe(text(a + b))));
  });

  it('compare by value, whatever the trailing zeros', () => {
    expect(compareDecimals('1.10', '1.1')).toBe(0);
    fc.assert(fc.property(cents, cents, (a, b) => expect(compareDecimals(text(a), text(b))).toBe(Math.sign(a - b))));
  });

  it.each(['1e3', '-1', '01', '.5', '1.', '1.1234567', '1234567890123456', 'NaN', ''])('refuse %s', digits => {
    expect(decimalForm.test(digits)).toBe(false);
    expect(amountProblem(digits, 'ZAR')).toContain('plain decimal');
  });

  it('of any writing become the same plain digits, and plain ones with the decimals of the currency stay as they came in', () => {
    fc.assert(
      fc.property(cents, fc.integer({ min: -9, max: 9 }), fc.integer({ min: 0, max: 9 }), (value, exponent, zeros) => {
        const plain = text(value);
        expect(plainAmount(plain, 'ZAR')).toBe(plain);
        expect(plainAmount(plain + '0'.repeat(zeros), 'ZAR')).toBe(plain);
        const [, digits, power] = /^(.*)e(.*)$/.exec((value / 100).toExponential())!;
        expect(compareDecimals(plainAmount(`${digits}E${power}`, 'ZAR'), plain)).toBe(0);
        const shifted = plainAmount(`1.00e${exponent}`, 'UYW');
        expect(Number(shifted)).toBeCloseTo(10 ** exponent, 9);
      }),
    );
    expect(
      ['1e99', '1e-99', '1e100', ' 1', '+1', '0x10', '1_000', ''].map(text => amountProblem(plainAmount(text, 'ZAR'), 'ZAR')),
    ).toEqual(Array.from({ length: 8 }, () => 'must be a plain decimal number of at most 15 digits and 6 decimals'));
  });

  it('have no more decimals than the currency (R-2.5-3)', () => {
    expect(amountProblem('110.10', 'ZAR')).toBeNull();
    expect(amountProblem('110.101', 'ZAR')).toBe('must have at most 2 decimals in ZAR');
    expect(amountProblem('110.1', 'JPY')).toBe('must have at most 0 decimals in JPY');
    expect(amountProblem('110.101', 'KWD')).toBeNull();
    expect(amountProblem('0.00', 'ZAR')).toBe('must be greater than 0');
  });
});
