import type { ReceivedEvent } from '../event-transport';
import { eventOf, firstArrivalsOf } from './collector';

const arrivals = (...numbers: number[]): ReceivedEvent[] =>
  numbers.map((n, at) => ({ ...eventOf('t', 'k', n), partition: 0, offset: String(at) }));

describe('what the conformance of event transports takes for order, under at-least-once delivery', () => {
  it.each([
    [
      [0, 1, 2],
      [0, 1, 2],
    ],
    [
      [0, 1, 0, 1, 2],
      [0, 1, 2],
    ],
    [[], []],
  ])('%j: an event may come again, and those after it', (numbers, firsts) => {
    expect(firstArrivalsOf(arrivals(...numbers), 'k')).toEqual(firsts);
  });

  it.each([[[0, 2, 1]], [[0, 1, 0, 2]]])('%j: none may be passed over', numbers => {
    expect(() => firstArrivalsOf(arrivals(...numbers), 'k')).toThrow('passed over an event');
  });
});
