import { SlotCap, slotFloor, slotsAtFirst } from './slot-cap';

describe('slots that an endpoint may use (P-1.9, P-I12)', () => {
  const times = (count: number, step: () => void) => Array.from({ length: count }, step);
  const answer = (cap: SlotCap, count: number, isShort = true) => times(count, () => cap.answered(isShort));

  it('begins with enough to share calls, within the most and never below the floor', () => {
    expect([1_000, 10, 1].map(slotsMax => new SlotCap(slotsMax).value)).toEqual([slotsAtFirst, 10, slotFloor]);
  });

  it('doubles with a full round of answers while deliveries wait for slots, up to the most', () => {
    const cap = new SlotCap(100);
    answer(cap, slotsAtFirst - 1);
    expect(cap.value).toBe(slotsAtFirst);
    answer(cap, 1);
    expect(cap.value).toBe(100);
    answer(cap, 1_000);
    expect(cap.value).toBe(100);
  });

  it('begins the next round after each doubling', () => {
    const cap = new SlotCap(1_000);
    answer(cap, slotsAtFirst + 2 * slotsAtFirst - 1);
    expect(cap.value).toBe(2 * slotsAtFirst);
    answer(cap, 1);
    expect(cap.value).toBe(4 * slotsAtFirst);
  });

  it('an answer while no delivery waits ends the round', () => {
    const cap = new SlotCap(1_000);
    answer(cap, slotsAtFirst - 1);
    answer(cap, 1, false);
    answer(cap, slotsAtFirst - 1);
    expect(cap.value).toBe(slotsAtFirst);
    answer(cap, 1);
    expect(cap.value).toBe(2 * slotsAtFirst);
  });

  it('halves with a timeout, to whole slots; timeouts of requests under way with it do not count again', () => {
    const cap = new SlotCap(11);
    cap.timedOut(8);
    expect(cap.value).toBe(5);
    times(8, () => cap.timedOut(1));
    expect(cap.value).toBe(5);
    cap.timedOut(1);
    expect(cap.value).toBe(slotFloor);
  });

  it('a timeout ends the round, also one that does not count again', () => {
    const cap = new SlotCap(1_000);
    answer(cap, slotsAtFirst - 1);
    cap.timedOut(1);
    answer(cap, slotsAtFirst / 2 - 1);
    expect(cap.value).toBe(slotsAtFirst / 2);
    cap.timedOut(1);
    answer(cap, slotsAtFirst / 2 - 1);
    cap.timedOut(1);
    expect(cap.value).toBe(slotsAtFirst / 4);
    cap.timedOut(1);
    answer(cap, slotsAtFirst / 4 - 1);
    expect(cap.value).toBe(slotsAtFirst / 4);
    answer(cap, 1);
    expect(cap.value).toBe(slotsAtFirst / 2);
  });

  it('each answer to a request under way with a timeout leaves one timeout less to ignore', () => {
    const cap = new SlotCap(1_000);
    cap.timedOut(3);
    answer(cap, 1, false);
    times(2, () => cap.timedOut(1));
    expect(cap.value).toBe(slotsAtFirst / 2);
    cap.timedOut(1);
    expect(cap.value).toBe(slotsAtFirst / 4);
  });

  it('many answers do not compensate for a timeout after them', () => {
    const cap = new SlotCap(1_000);
    answer(cap, 500, false);
    cap.timedOut(2);
    expect(cap.value).toBe(slotsAtFirst / 2);
    times(2, () => cap.timedOut(1));
    expect(cap.value).toBe(slotsAtFirst / 2);
  });
});
