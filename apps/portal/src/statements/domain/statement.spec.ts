import { periodOf } from './statement';

const beginOf = (period: string, timeZone: string, name: string) =>
  periodOf(period, timeZone).parts.find(part => part.name === name)!.beginsAt;

describe('the days of a statement', () => {
  it('are those of the chosen time zone', () => {
    expect(beginOf('2026-11', 'Africa/Johannesburg', '2026-11-01')).toBe('2026-10-31T22:00:00.000Z');
    expect(beginOf('2026-11', 'Asia/Kathmandu', '2026-11-02')).toBe('2026-11-01T18:15:00.000Z');
    expect(periodOf('2026-11', 'Pacific/Kiritimati').endsAt).toBe('2026-11-30T10:00:00.000Z');
    expect(
      periodOf('2026', 'UTC')
        .parts.map(({ name }) => name)
        .at(-1),
    ).toBe('2026-12');
    expect(periodOf('2028-02', 'UTC').parts).toHaveLength(29);
    expect(periodOf('2026-11-30', 'Asia/Kolkata')).toEqual({
      parts: [{ name: '2026-11-30', beginsAt: '2026-11-29T18:30:00.000Z' }],
      endsAt: '2026-11-30T18:30:00.000Z',
    });
  });

  it('have 23 or 25 hours where clocks change, begin later where midnight is skipped, and follow each other', () => {
    const { parts } = periodOf('2026-03', 'Europe/Berlin');
    const hours = parts.slice(1).map((part, at) => (Date.parse(part.beginsAt) - Date.parse(parts[at]!.beginsAt)) / 3_600_000);
    expect(hours.filter(each => each !== 24)).toEqual([23]);
    // Clocks in Cairo go from 0:00 to 1:00 on the last Friday of April.
    expect(beginOf('2026-04', 'Africa/Cairo', '2026-04-24')).toBe('2026-04-23T22:00:00.000Z');
    // Apia had no 30 December 2011.
    const skipped = periodOf('2011-12-30', 'Pacific/Apia');
    expect(skipped.parts[0]!.beginsAt).toBe(skipped.endsAt);
  });
});
