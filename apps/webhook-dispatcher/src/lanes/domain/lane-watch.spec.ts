import { LaneWatch, type LaneRow } from './lane-watch';

const row = (changes: Partial<LaneRow> = {}): LaneRow => ({ lane: 1, owner: 'other', epoch: 4, beat: 10, ...changes });
const wanted = new Set([1]);

describe('lane watch (P-T6)', () => {
  let watch: LaneWatch;
  beforeEach(() => (watch = new LaneWatch('me', 10_000)));
  const taken = (rows: LaneRow[], nowMs: number) => watch.plan(rows, wanted, nowMs).take.map(({ lane }) => lane);

  it('takes a free lane at once', () => {
    expect(taken([row({ owner: null, beat: null })], 0)).toEqual([1]);
  });

  it('takes the lane of an owner whose beat stood still for the lease time, not a millisecond earlier', () => {
    expect(taken([row()], 5_000)).toEqual([]);
    expect(taken([row()], 14_999)).toEqual([]);
    expect(taken([row()], 15_000)).toEqual([1]);
  });

  it('starts over whenever the beat moves', () => {
    taken([row()], 0);
    taken([row({ beat: 11 })], 9_999);
    expect(taken([row({ beat: 11 })], 19_998)).toEqual([]);
    expect(taken([row({ beat: 11 })], 19_999)).toEqual([1]);
  });

  it('treats a beat that went backwards as a sign of life', () => {
    taken([row()], 0);
    taken([row({ beat: 1 })], 9_000);
    expect(taken([row({ beat: 1 })], 10_000)).toEqual([]);
  });

  it('judges an owner that never registered like one whose beat stands still', () => {
    expect(taken([row({ beat: null })], 0)).toEqual([]);
    expect(taken([row({ beat: null })], 10_000)).toEqual([1]);
  });

  it('knows a new owner of the lane as a new one', () => {
    taken([row()], 0);
    expect(taken([row({ owner: 'third' })], 10_000)).toEqual([]);
  });

  it('leaves lanes it does not want, and gives up those it holds without wanting them', () => {
    const rows = [row({ lane: 2, owner: null }), row({ lane: 3, owner: 'me', epoch: 7 }), row({ owner: 'me' })];
    expect(watch.plan(rows, wanted, 0)).toEqual({ take: [], giveUp: [{ lane: 3, epoch: 7 }] });
  });
});
