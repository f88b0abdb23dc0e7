import { DataFault } from '@paycode/persistence';
import type { Logger } from '@paycode/service-runtime';
import type { ChangeNotice } from '@paycode/dto';
import type { Due } from './change-notice.store';
import { HandOverNoticesService } from './hand-over-notices.service';

const due = (merchantId: number): Due<ChangeNotice> => ({
  notice: {
    noticeId: `n-${merchantId}`,
    merchantId,
    kind: 'URL_CHANGED',
    emails: ['a@shop.example'],
    actor: 'psp-1',
    occurredAt: '2026-01-01T00:00:00.000Z',
  },
  isGivenUp: false,
});

describe('handing change notices over', () => {
  let removed: string[];
  let mailed: number[];
  const logged: object[] = [];
  const handOver = (notices: Due<ChangeNotice>[], mail: (part: readonly ChangeNotice[]) => Promise<void>) => {
    [removed, mailed, logged.length] = [[], [], 0];
    const store = {
      claim: () => Promise.resolve(notices),
      remove: async (ids: readonly string[]) => void removed.push(...ids),
    };
    const mailer = {
      async handOver(part: readonly ChangeNotice[]): Promise<void> {
        await mail(part);
        mailed.push(...part.map(({ merchantId }) => merchantId));
      },
    };
    const log = { error: (fields: object) => logged.push(fields) } as unknown as Logger;
    return new HandOverNoticesService(store, mailer, log).handOver();
  };

  it('a refused notice is kept and reported; those handed over with it are mailed and removed (T-29, T-15)', async () => {
    const refusing = (part: readonly ChangeNotice[]) =>
      part.some(({ merchantId }) => merchantId === 13) ? Promise.reject(new DataFault('no address')) : Promise.resolve();
    expect(await handOver([11, 12, 13, 14].map(due), refusing)).toBe(3);
    expect(mailed).toEqual([11, 12, 14]);
    expect(removed).toEqual(['n-11', 'n-12', 'n-14']);
    expect(logged).toEqual([{ event: 'work-parked', merchantId: 13, reason: 'no address' }]);
  });

  it('no notice is removed when the call failed (T-15)', async () => {
    await expect(handOver([due(11)], () => Promise.reject(new Error('mailer is away')))).rejects.toThrow('away');
    expect([mailed, removed]).toEqual([[], []]);
  });

  it('a notice that was tried too often is given up and reported (T-15)', async () => {
    expect(await handOver([{ ...due(11), isGivenUp: true }, due(12)], () => Promise.resolve())).toBe(1);
    expect([mailed, removed]).toEqual([[12], ['n-11', 'n-12']]);
    expect(logged).toEqual([{ event: 'notice-given-up', merchantId: 11 }]);
  });
});
