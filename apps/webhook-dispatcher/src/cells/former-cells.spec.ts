import { terminalEvent } from '../deliveries/testing/samples';
import { FormerCells, type KnownRequest } from './former-cells';

const partition = 5;
const [from, highest] = [100, 7];

// proves: P-1.12, P-I10: a former cell is asked before the insert, and new payments do not wait for it.
describe('a cell that took over a partition from main', () => {
  let step: number;
  let isMainAway: boolean;
  let asked: (readonly number[])[];
  let former: FormerCells;

  beforeEach(() => {
    [step, isMainAway, asked] = [1, false, []];
    const known = async (_: string, { transactionIds }: KnownRequest) => {
      if (isMainAway) throw new Error('main does not answer');
      asked.push(transactionIds);
      return { taken: transactionIds.filter(id => id <= highest), highest };
    };
    const range = () => ({ from, until: null, step });
    const cells = [{ name: 'main' }, { name: 'b' }];
    const entries = () => [{ partition, fromOffset: from, cell: 'b', step }];
    const view = () => ({ map: { cells, entries: entries() }, ranges: Array.from({ length: partition + 1 }, range) });
    former = new FormerCells({ self: 'b', view, known });
  });

  const begun = async (...ids: number[]) => {
    const events = ids.map(id => ({ ...terminalEvent(id), offset: from }));
    return (await former.ask(partition, events)).events.map(({ transactionId }) => transactionId);
  };

  it('asks main once, and then about ids alone that main may have', async () => {
    expect(await begun(6, 8)).toEqual([8]);
    expect(await begun(9, 10)).toEqual([9, 10]);
    expect(await begun(7, 11)).toEqual([11]);
    expect(asked).toEqual([[6, 8], [7]]);
  });

  it('begins new payments while main is away; one that main may have waits for it', async () => {
    await begun(8);
    isMainAway = true;
    expect(await begun(9)).toEqual([9]);
    await expect(begun(7, 10)).rejects.toThrow('main does not answer');
  });

  it('asks anew under another step: main had the partition again meanwhile', async () => {
    await begun(8);
    step = 3;
    await begun(9);
    expect(asked).toEqual([[8], [9]]);
  });
});
