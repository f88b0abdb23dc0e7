import { WorkSlots } from './rsa-worker-pool';

describe('work slots (T-02)', () => {
  it('one owner cannot take all of the room', () => {
    const slots = new WorkSlots({ slots: 4, perOwner: 2 });
    expect([1, 2, 3].map(() => slots.take('attacker'))).toEqual([true, true, false]);
    expect([slots.take('a'), slots.take('b'), slots.take('c')]).toEqual([true, true, false]);
  });

  it('a released slot can be taken again, one that was not taken cannot be released', () => {
    const slots = new WorkSlots({ slots: 1, perOwner: 1 });
    slots.take('a');
    slots.release('a');
    expect(slots.take('b')).toBe(true);
    expect(() => slots.release('a')).toThrow('not taken');
  });
});
