import { instantsOf, readMoment } from './read-moment';

const now = new Date(2026, 10, 27, 15, 30);
const at = (...parts: [number, number, number, number?, number?, number?]) => {
  const [year, month, date, ...time] = parts;
  return { at: new Date(year, month - 1, date, ...time).toISOString() };
};

describe('a time as people write it, in their time zone', () => {
  it.each([
    ['2026-11-20', 'en-ZA', at(2026, 11, 20)],
    ['2026-11-20 14:05', 'en-ZA', at(2026, 11, 20, 14, 5)],
    ['2026-11-20T14:05:06', 'en-ZA', at(2026, 11, 20, 14, 5, 6)],
    ['2026-11-20T14:05:06Z', 'en-ZA', { at: '2026-11-20T14:05:06.000Z' }],
    ['2026-11-20T14:05:06+02:00', 'en-ZA', { at: '2026-11-20T12:05:06.000Z' }],
    ['2026/11/20, 14:05', 'en-ZA', at(2026, 11, 20, 14, 5)],
    ['3/4/2026 2:05 PM', 'en-US', at(2026, 3, 4, 14, 5)],
    ['03/04/2026 14:05', 'en-GB', at(2026, 4, 3, 14, 5)],
    ['20.11.2026, 14:05', 'de-DE', at(2026, 11, 20, 14, 5)],
    ['20/11/2026', 'en-ZA', at(2026, 11, 20)],
    ['today', 'en-ZA', at(2026, 11, 27)],
    ['Yesterday 14:00', 'en-ZA', at(2026, 11, 26, 14)],
    ['14:00', 'en-ZA', at(2026, 11, 27, 14)],
    ['12:30 am', 'en-US', at(2026, 11, 27, 0, 30)],
  ])('%s, read by %s', (text, locale, expected) => {
    expect(readMoment(text, { locale, now })).toEqual(expected);
  });

  it('a day at the end of a range is part of it; a time is its end', () => {
    expect(readMoment('2026-11-20', { isEnd: true, now })).toEqual(at(2026, 11, 21));
    expect(readMoment('2026-11-20 15:00', { isEnd: true, now })).toEqual(at(2026, 11, 20, 15));
  });

  it.each(['', '2', '20', '2026', '2026-02-30', '2026-13-01', '20/11/26', '25:00', '13:00 pm', 'soon', '2026-11-20 14'])(
    '%j is none, and the rule is named',
    text =>
      expect(readMoment(text, { locale: 'en-GB', now })).toEqual({ problem: expect.stringContaining('2026-11-27') as string }),
  );

  it('asks where the order of day and month is not known', () => {
    const expected = { problem: 'This can be 2026-04-03 or 2026-03-04: write one of these.' };
    expect(readMoment('03/04/2026', { locale: 'en-ZA', now })).toEqual(expected);
    expect(readMoment('04/04/2026', { locale: 'en-ZA', now })).toEqual(at(2026, 4, 4));
  });

  it('ranges move with the time, and days are those of the reader', () => {
    const day = (date: number) => new Date(2026, 10, date).toISOString();
    expect(instantsOf('hour', now)).toEqual({ from: new Date(now.getTime() - 3_600_000).toISOString() });
    expect(instantsOf('today', now)).toEqual({ from: day(27) });
    expect(instantsOf('yesterday', now)).toEqual({ from: day(26), to: day(27) });
    expect(instantsOf('7d', now)).toEqual({ from: day(21) });
  });
});
