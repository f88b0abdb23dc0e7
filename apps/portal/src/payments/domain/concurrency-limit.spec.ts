import { ConcurrencyLimit } from './concurrency-limit';

describe('what people have open at once', () => {
  it('is little for one person, and leaves room for others', () => {
    const limit = new ConcurrencyLimit({ perPerson: 2, inAll: 3 });
    const [first, second] = [limit.take('a'), limit.take('a')];
    expect([first, second, limit.take('a')]).toEqual([expect.any(Function), expect.any(Function), undefined]);
    const third = limit.take('b');
    expect([third, limit.take('c')]).toEqual([expect.any(Function), undefined]);
  });

  it('is given back once, however often that is said', () => {
    const limit = new ConcurrencyLimit({ perPerson: 1, inAll: 2 });
    const back = limit.take('a')!;
    back();
    back();
    expect(limit.take('a')).toEqual(expect.any(Function));
    expect(limit.take('a')).toBeUndefined();
    expect(limit.take('b')).toEqual(expect.any(Function));
    expect(limit.take('c')).toBeUndefined();
  });
});
