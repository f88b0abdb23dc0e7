import { newestPeriod, nextPeriod } from './mailed-period';

/** proves: T-24 */
describe('the day or month that is mailed', () => {
  it.each([
    // Six hours after the end of the day in its zone.
    ['UTC', '2026-11-28T05:59:59Z', '2026-11-26'],
    ['UTC', '2026-11-28T06:00:00Z', '2026-11-27'],
    ['Asia/Kolkata', '2026-11-28T00:29:59Z', '2026-11-26'],
    ['Asia/Kolkata', '2026-11-28T00:30:00Z', '2026-11-27'],
    ['Pacific/Apia', '2026-11-27T16:59:59Z', '2026-11-26'],
    ['Pacific/Apia', '2026-11-27T17:00:00Z', '2026-11-27'],
    // Where clocks changed that night they show 07:00 or 05:00.
    ['America/New_York', '2026-03-08T10:59:59Z', '2026-03-06'],
    ['America/New_York', '2026-03-08T11:00:00Z', '2026-03-07'],
    ['America/New_York', '2026-03-09T09:59:59Z', '2026-03-07'],
    ['America/New_York', '2026-03-09T10:00:00Z', '2026-03-08'],
    ['America/New_York', '2026-11-02T10:59:59Z', '2026-10-31'],
    ['America/New_York', '2026-11-02T11:00:00Z', '2026-11-01'],
    // Apia had no 30 December 2011.
    ['Pacific/Apia', '2011-12-30T15:59:59Z', '2011-12-28'],
    ['Pacific/Apia', '2011-12-30T16:00:00Z', '2011-12-30'],
  ])('of %s at %s is %s', (timeZone, now, day) => {
    expect(newestPeriod('DAY', timeZone, new Date(now))).toBe(day);
  });

  it.each([
    ['UTC', '2026-12-01T05:59:59Z', '2026-10'],
    ['UTC', '2026-12-01T06:00:00Z', '2026-11'],
    ['Asia/Kolkata', '2026-12-31T23:59:59Z', '2026-11'],
    ['Asia/Kolkata', '2027-01-01T00:30:00Z', '2026-12'],
  ])('of months of %s at %s is %s', (timeZone, now, month) => {
    expect(newestPeriod('MONTH', timeZone, new Date(now))).toBe(month);
  });

  it('is each one once, in its order; after a pause the last week or the last two months, and never one before', () => {
    expect(nextPeriod('DAY', '2026-02-28', '2026-03-01')).toBe('2026-03-01');
    expect(nextPeriod('DAY', '2026-02-27', '2026-03-01')).toBe('2026-02-28');
    expect(nextPeriod('DAY', '2026-03-01', '2026-03-01')).toBeUndefined();
    expect(nextPeriod('DAY', '2025-01-01', '2026-03-01')).toBe('2026-02-23');
    expect(nextPeriod('MONTH', '2026-10', '2027-01')).toBe('2026-12');
    expect(nextPeriod('MONTH', '2026-12', '2027-01')).toBe('2027-01');
  });

  it('is none after a clock went back', () => {
    expect(nextPeriod('DAY', '2026-03-05', '2026-03-01')).toBeUndefined();
    expect(nextPeriod('MONTH', '2027-01', '2026-12')).toBeUndefined();
  });
});
