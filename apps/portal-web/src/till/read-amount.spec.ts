import { readAmount, separatorsOf } from './read-amount';

const english = { decimal: '.', group: ',' };
const german = { decimal: ',', group: '.' };
const southAfrican = { decimal: ',', group: ' ' };

describe('an amount that a person types', () => {
  it.each([
    ['42', english, '42'],
    ['R 42', english, '42'],
    ['R42.50', english, '42.50'],
    ['1,234.50', english, '1234.50'],
    ['1,234', english, '1234'],
    ['1.234', english, '1.234'],
    ['42,50', english, '42.50'],
    ['1.234,50', german, '1234.50'],
    ['1.234', german, '1234'],
    ['42.50', german, '42.50'],
    ['1.234.567,5 €', german, '1234567.5'],
    ['1 234,50', southAfrican, '1234.50'],
    ['1 234 567', southAfrican, '1234567'],
    ["1'234.50 CHF", { decimal: '.', group: '’' }, '1234.50'],
    ['0.05', english, '0.05'],
    ['007', english, '7'],
  ])('%s is read in the notation of the reader', (text, reader, digits) => {
    expect(readAmount(text, reader)).toEqual({ digits });
  });

  it('which may be two amounts is refused with both, and never guessed', () => {
    expect(readAmount('1.234', southAfrican)).toEqual({ problem: 'may be 1234 or 1,234: write it without a separator' });
  });

  it.each(['', 'R', '-5', '1,23,456', '1.2.3', '12,34.5', '1e5', '4 2', '5%', '.5', '5.'])('%s is refused', text => {
    expect(readAmount(text, english)).toEqual({ problem: 'must be a number such as 42 or 1234.50' });
  });

  it('takes the separators from the locale', () => {
    expect([separatorsOf('en-US'), separatorsOf('de-DE')]).toEqual([english, german]);
  });
});
