import { InternalCallError, type InternalClient } from '@paycode/access';
import type { MerchantRecord } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { MerchantDirectory } from './merchants';

const record: MerchantRecord = { merchantId: 7, merchantName: 'Shop', pspId: null, acquirer: 'Bank', status: 'ACTIVE' };

describe('merchant records of notification-config', () => {
  let nowMs: number;
  let calls: number;
  let answer: () => Promise<unknown>;
  let directory: MerchantDirectory;
  beforeEach(() => {
    [nowMs, calls, answer] = [1_000_000, 0, () => Promise.resolve(record)];
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const call = <T>() => {
      calls++;
      return answer() as Promise<T>;
    };
    const client: Pick<InternalClient, 'get' | 'post'> = { get: call, post: call };
    directory = new MerchantDirectory(client);
  });
  afterEach(() => jest.restoreAllMocks());

  it('regression: completions that need a merchant at once share the call', async () => {
    const slow = Promise.withResolvers<unknown>();
    answer = () => slow.promise;
    const waiting = Array.from({ length: 40 }, () => directory.find(7));
    slow.resolve(record);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([record]));
    expect(calls).toBe(1);
  });

  it('regression: while notification-config does not answer, a record is used for half a minute', async () => {
    await directory.find(7);
    answer = () => Promise.reject(new InternalCallError('timed out', null, false, undefined));
    nowMs += 29_999;
    expect(await directory.find(7)).toEqual(record);
    nowMs += 1;
    const refused: unknown = await directory.find(7).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DomainError);
    expect(refused).toMatchObject({ status: 503, reason: 'MERCHANTS_UNAVAILABLE' });
  });

  it('a merchant that is unknown is asked for again each time', async () => {
    answer = () => Promise.reject(new InternalCallError('unknown', 404, true, undefined));
    expect([await directory.find(7), await directory.find(7), calls]).toEqual([undefined, undefined, 2]);
  });
});
