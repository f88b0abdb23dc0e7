import { civilOf, dayStart, instantOf } from './time-zone';

/** proves: times are typed and days counted in the zone that a person chose, whatever the browser's is. */
describe('a clock of another zone', () => {
  it('shows and takes its own times', () => {
    const civil = { year: 2026, month: 11, date: 27, hour: 14, minute: 5, second: 6 };
    expect(instantOf(civil, 'Asia/Tokyo')).toEqual(new Date('2026-11-27T05:05:06Z'));
    expect(civilOf(new Date('2026-11-27T05:05:06.789Z'), 'Asia/Tokyo')).toEqual(civil);
    expect(dayStart({ year: 2026, month: 12, date: 0 }, 'Asia/Tokyo')).toEqual(new Date('2026-11-29T15:00:00Z'));
  });

  it('has no time that it skips, the first of one that comes twice, and a first moment of each day', () => {
    const night = (month: number, date: number, hour: number) => ({ year: 2026, month, date, hour, minute: 30 });
    expect(instantOf(night(3, 8, 2), 'America/New_York')).toBeUndefined();
    expect(instantOf(night(11, 1, 1), 'America/New_York')).toEqual(new Date('2026-11-01T05:30:00Z'));
    expect(dayStart({ year: 2026, month: 9, date: 6 }, 'America/Santiago')).toEqual(new Date('2026-09-06T04:00:00Z'));
  });
});
