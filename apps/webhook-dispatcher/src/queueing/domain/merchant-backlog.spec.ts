import { MerchantBacklog } from './merchant-backlog';

describe('merchants whose deliveries wait in the database', () => {
  let backlog: MerchantBacklog;
  beforeEach(() => (backlog = new MerchantBacklog()));

  it('sends new deliveries behind the waiting ones until these are read', () => {
    backlog.note(1);
    expect([backlog.has(1), backlog.has(2)]).toEqual([true, false]);
    backlog.wasRead(1, 0, 40);
    expect(backlog.next(1)).toEqual([{ merchantId: 1, afterSeq: 40 }]);
    backlog.wasRead(1, 40, undefined);
    expect(backlog.has(1)).toBe(false);
  });

  it('reads once more from the start after the last page, for deliveries stored meanwhile', () => {
    backlog.note(1);
    backlog.wasRead(1, 0, undefined);
    expect(backlog.next(1)).toEqual([{ merchantId: 1, afterSeq: 0 }]);
    backlog.wasRead(1, 0, 50);
    backlog.wasRead(1, 50, undefined);
    expect(backlog.size).toBe(0);
  });

  it('begins anew when a delivery is left in the database during that last look', () => {
    backlog.note(1);
    backlog.wasRead(1, 0, undefined);
    backlog.wasRead(1, 0, 50);
    backlog.note(1);
    backlog.wasRead(1, 50, undefined);
    expect(backlog.has(1)).toBe(true);
    expect(backlog.next(1)).toEqual([{ merchantId: 1, afterSeq: 0 }]);
  });

  it('names the merchants that are read one by one, until their last page', () => {
    [1, 2].forEach(merchantId => backlog.note(merchantId));
    backlog.wasRead(1, 0, undefined);
    expect([backlog.filling, backlog.size]).toEqual([[2], 2]);
    backlog.wasRead(3, 0, undefined);
    expect(backlog.size).toBe(2);
  });

  it('a delivery that is noted again does not restart the reading', () => {
    backlog.note(1);
    backlog.wasRead(1, 0, 40);
    backlog.note(1);
    expect(backlog.next(1)).toEqual([{ merchantId: 1, afterSeq: 40 }]);
  });

  it('gives every merchant its turn', () => {
    [1, 2, 3].forEach(merchantId => backlog.note(merchantId));
    const turns = [backlog.next(2), backlog.next(2), backlog.next(2)].map(turn => turn.map(({ merchantId }) => merchantId));
    expect(turns).toEqual([
      [1, 2],
      [3, 1],
      [2, 3],
    ]);
  });

  it('reads everything from the start when shards are gained', () => {
    backlog.note(1);
    backlog.wasRead(1, 0, 40);
    backlog.restart();
    expect(backlog.next(1)).toEqual([{ merchantId: 1, afterSeq: 0 }]);
    backlog.wasRead(1, 40, undefined);
    expect(backlog.has(1)).toBe(true);
  });
});
