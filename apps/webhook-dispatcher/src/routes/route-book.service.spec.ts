import { InternalCallError } from '@paycode/access';
import type { Route } from '@paycode/dto';
import { isDataFault } from '@paycode/persistence';
import { ManualClock } from '../clock/testing/manual-clock';
import { routeTo } from '../dispatcher/testing/fakes';
import { RouteBook, RouteUnavailableError } from './route-book.service';
import { RouteSource } from './routes.ports';

class Source extends RouteSource {
  readonly asked: number[][] = [];
  url = 'https://first.example/hook';
  /** Calls that name it are refused; left out of answers; URLs of single merchants. */
  refused = 0;
  forgotten = 0;
  readonly urls = new Map<number, string>();
  beforeAnswer: () => Promise<void> = async () => undefined;

  override async routes(merchantIds: readonly number[]): Promise<Route[]> {
    this.asked.push([...merchantIds]);
    const { url } = this;
    await this.beforeAnswer();
    if (merchantIds.includes(this.refused)) throw new InternalCallError('routes answered 400', 400, true, undefined);
    const known = merchantIds.filter(merchantId => merchantId !== this.forgotten);
    return known.map(merchantId => routeTo(this.urls.get(merchantId) ?? url, { merchantId, leaseMs: 1_000 }));
  }
}

describe('routes under a lease (I11, A-10)', () => {
  let clock: ManualClock;
  let source: Source;
  let book: RouteBook;
  beforeEach(() => {
    clock = new ManualClock();
    source = new Source();
    book = new RouteBook(source, clock);
  });

  it('reads once per lease and again after it, so that a renewed key is in force at once', async () => {
    expect((await book.current(1)).url).toBe('https://first.example/hook');
    source.url = 'https://second.example/hook';
    await clock.advance(999);
    expect((await book.current(1)).url).toBe('https://first.example/hook');
    await clock.advance(1);
    expect(book.leasedNow(1)).toBeUndefined();
    expect((await book.current(1)).url).toBe('https://second.example/hook');
    expect(source.asked).toHaveLength(2);
  });

  it('counts the lease from before it asked, however long the answer took', async () => {
    source.beforeAnswer = () => clock.advance(600);
    await book.current(1);
    await clock.advance(399);
    expect(book.leasedNow(1)).toBeDefined();
    await clock.advance(1);
    expect(book.leasedNow(1)).toBeUndefined();
  });

  it('an answer older than its own lease is no route', async () => {
    source.beforeAnswer = () => clock.advance(1_000);
    await expect(book.current(1)).rejects.toThrow(RouteUnavailableError);
  });

  it('asks for many merchants at once and for each only once', async () => {
    const waiting = book.current(9);
    await Promise.all([waiting, book.current(1), book.current(2), book.current(1)]);
    expect(source.asked).toEqual([[9], [1, 2]]);
  });

  it('T8: a source that is away gives an error, never an old route', async () => {
    await book.current(1);
    await clock.advance(1_000);
    source.beforeAnswer = () => Promise.reject(new Error('down'));
    await expect(book.current(1)).rejects.toThrow(RouteUnavailableError);
    expect(book.lastOrigin(1)).toBe('https://first.example');
  });

  it('T-29: a merchant that is refused, forgotten or has an unreadable URL has no route; those beside it have theirs', async () => {
    Object.assign(source, { refused: 3, forgotten: 5 });
    source.urls.set(7, 'no URL');
    const merchants = [1, 2, 3, 4, 5, 6, 7, 8];
    const outcomes = await Promise.allSettled(merchants.map(merchantId => book.current(merchantId)));
    const failed = merchants.filter((_, at) => outcomes[at]!.status === 'rejected');
    expect(failed).toEqual([3, 5, 7]);
    const faults = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [isDataFault(outcome.reason)] : []));
    expect(faults).toEqual([true, true, true]);
    await book.learn([13, 3, 14]);
    expect([13, 14].map(merchantId => book.lastOrigin(merchantId))).toEqual(['https://first.example', 'https://first.example']);
  });

  it('learns only merchants it has never seen, and leaves failures to the attempt', async () => {
    await book.learn([1, 2, 2]);
    await book.learn([2, 3]);
    expect(source.asked).toEqual([[1, 2], [3]]);
    source.beforeAnswer = () => Promise.reject(new Error('down'));
    await book.learn([4]);
    expect(book.lastOrigin(4)).toBeUndefined();
  });
});
