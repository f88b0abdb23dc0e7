import { newDelivery } from '../testing/samples';
import { armed, claimed, type Delivery, deliveryFromEvent, deliveryFromRepeat, deliveryFromRow, nextAttempt } from './delivery';

type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Does not compile once a member can be written. */
const isReadonlyWhole: IsSame<Delivery, Readonly<Delivery>> = true;

describe('a delivery', () => {
  const held = { epoch: 3, receivedMs: 7 };
  const row = newDelivery(1, { merchantId: 1001, shard: 1, payload: 'sealed' });
  const known = {
    version: 'V3',
    transactionId: 1,
    merchantId: 1001,
    shard: 1,
    epoch: 3,
    payload: 'sealed',
    receivedMs: 7,
    armedAtMs: null,
    zoneFailedMs: null,
  };

  it('comes from an event: its first attempt, claimed when its insert claimed it (P-1.2-1)', () => {
    const first = { ...known, isReversible: true, attempt: 1, isRepeat: false };
    expect(deliveryFromEvent(row, { ...held, version: 'V3', isClaimed: true })).toEqual({ ...first, isClaimed: true });
    expect(deliveryFromEvent(row, { ...held, version: 'V3', isClaimed: false })).toEqual({ ...first, isClaimed: false });
  });

  it('comes from a row: the attempt after those that were claimed, and never claimed yet (P-1.2-8)', () => {
    const second = { ...known, isReversible: true, attempt: 2, isClaimed: false, isRepeat: false };
    expect(deliveryFromRow(row, { ...held, attempt: 2 })).toEqual(second);
  });

  it('comes from a repeat: claimed by its lease, and never moving money, whatever the row says (P-I13)', () => {
    const repeat = { ...known, isReversible: false, attempt: 3, isClaimed: true, isRepeat: true };
    expect(deliveryFromRepeat({ ...row, attempt: 3 }, held)).toEqual(repeat);
  });

  it('each stage gives a new delivery, and the former one does not change (P-I8)', () => {
    expect(isReadonlyWhole).toBe(true);
    const found = Object.freeze(deliveryFromRow(row, { ...held, attempt: 1 }));
    const ready = Object.freeze(armed(Object.freeze(claimed(found)), 1_000));
    expect(ready).toEqual({ ...found, isClaimed: true, armedAtMs: 1_000 });
    expect(nextAttempt(ready)).toEqual({ ...ready, attempt: 2, isClaimed: false });
    expect(Object.keys(nextAttempt(ready))).toEqual(Object.keys(found));
  });
});
