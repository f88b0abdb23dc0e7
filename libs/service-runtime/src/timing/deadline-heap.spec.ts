import fc from 'fast-check';
import { type Deadline, DeadlineHeap } from './deadline-heap';

describe('deadline heap (P-T4)', () => {
  it('always names the same earliest deadline as a sorted list', () => {
    // More are added than taken away: faults in the order show only while several wait.
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('add' as const), dueMs: fc.nat(50) }) },
      fc.record({ kind: fc.constant('remove' as const), pick: fc.nat() }),
      fc.record({ kind: fc.constant('pop' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), steps => {
        const heap = new DeadlineHeap<number>();
        const list: Deadline<number>[] = [];
        steps.forEach((each, n) => {
          if (each.kind === 'add') list.push(heap.add(each.dueMs, n));
          const gone = each.kind === 'pop' ? heap.earliest : each.kind === 'remove' ? list[each.pick % list.length] : undefined;
          if (gone) {
            heap.remove(gone);
            list.splice(list.indexOf(gone), 1);
          }
          expect(heap.size).toBe(list.length);
          expect(heap.earliest?.dueMs).toBe(list.length === 0 ? undefined : Math.min(...list.map(({ dueMs }) => dueMs)));
        });
        expect(new Set(heap.all)).toEqual(new Set(list));
      }),
    );
  });

  it('removing twice is harmless', () => {
    const heap = new DeadlineHeap<string>();
    const [first] = [heap.add(1, 'a'), heap.add(2, 'b')];
    heap.remove(first);
    heap.remove(first);
    expect(heap.earliest?.value).toBe('b');
  });
});
