import { PacedLines } from './paced-lines';

it('a cause that repeats has one line a minute, with its count; another cause has its own', () => {
  jest.useFakeTimers();
  const lines = new PacedLines();
  expect([lines.due('a'), lines.due('a'), lines.due('b'), lines.due('a')]).toEqual([1, 0, 1, 0]);
  jest.advanceTimersByTime(60_000);
  expect([lines.due('a'), lines.due('a'), lines.due('b')]).toEqual([3, 0, 1]);
  jest.useRealTimers();
});
