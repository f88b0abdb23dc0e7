import { QueryObserver } from '@tanstack/react-query';
import { meQuery, queryClient } from './queries';

describe('a page whose calls are refused', () => {
  const refused = jest.fn(async () => new Response('{"message":"blocked"}', { status: 403 }));
  const { fetch } = globalThis;
  beforeAll(() => (globalThis.fetch = refused));
  afterAll(() => (globalThis.fetch = fetch));

  it('regression: asks for the role once when that is refused too, and not again and again', async () => {
    const observer = new QueryObserver(queryClient, { ...meQuery, retry: false });
    const leave = await new Promise<() => void>(resolve => {
      const left = observer.subscribe(({ status }) => status === 'error' && resolve(left));
    });
    expect([refused.mock.calls.length, queryClient.isFetching(meQuery)]).toEqual([1, 0]);
    leave();
    queryClient.clear();
  });
});
