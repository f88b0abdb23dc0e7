import type { Heard } from './forwarder';
import { Rehearsal } from './rehearsal';

const heard = (id: string | null, attempt = '1'): Heard => ({
  id: `relay-${id ?? 'probe'}`,
  headers: id === null ? ['Content-Type', 'application/json'] : ['X-Webhook-Transaction-Id', id, 'X-Webhook-Attempt', attempt],
  body: Buffer.from(`body of ${id ?? 'the probe'}`),
});

describe('a rehearsal with what comes next (A-78)', () => {
  let given: string[];
  /** Of the next answers; 200 when there are no more. */
  let statuses: number[];
  const make = (waits?: { otherMs: number; hangsMs: number }) =>
    new Rehearsal(({ headers, body }) => {
      given.push(`${body.toString()} ${headers[3] ?? ''}`.trim());
      return Promise.resolve(statuses.shift() ?? 200);
    }, waits);
  beforeEach(() => {
    given = [];
    statuses = [];
  });
  afterEach(() => jest.useRealTimers());

  it('without one, and after one, everything is given as it comes', async () => {
    const rehearsal = make();
    await rehearsal.answer(heard('1'));
    rehearsal.expect('duplicate');
    await rehearsal.answer(heard('2'));
    await rehearsal.answer(heard('3'));
    expect(given).toEqual(['body of 1 1', 'body of 2 1', 'body of 2 2', 'body of 3 1']);
  });

  it('duplicate: the second answer is the platform’s, and the probe is not repeated', async () => {
    const rehearsal = make();
    rehearsal.expect('duplicate');
    await rehearsal.answer(heard(null));
    statuses = [200, 409];
    expect(await rehearsal.answer(heard('1'))).toBe(409);
    expect(given).toEqual(['body of the probe', 'body of 1 1', 'body of 1 2']);
  });

  it('hanging: the server gets it once, its answer stays away for a minute, and what comes meanwhile is answered', async () => {
    jest.useFakeTimers();
    const rehearsal = make();
    rehearsal.expect('hanging');
    const answered: string[] = [];
    for (const id of [null, '1', '2']) void rehearsal.answer(heard(id)).then(status => answered.push(`${id} ${status}`));
    await jest.advanceTimersByTimeAsync(59_999);
    expect(given).toEqual(['body of the probe', 'body of 1 1', 'body of 2 1']);
    expect(answered).toEqual(['null 200', '2 200']);
    await jest.advanceTimersByTimeAsync(1);
    expect(answered).toEqual(['null 200', '2 200', '1 200']);
  });

  it.each([
    ['9', '10'],
    ['10', '9'],
  ])('out of order: %s and %s come, and the later id is given first; each gets its own answer', async (first, second) => {
    const rehearsal = make();
    rehearsal.expect('out-of-order');
    statuses = [201, 202];
    const answers = await Promise.all([first, second].map(id => rehearsal.answer(heard(id))));
    expect(given).toEqual(['body of 10 1', 'body of 9 1']);
    expect(answers).toEqual([first, second].map(id => (id === '10' ? 201 : 202)));
    await rehearsal.answer(heard('11'));
    expect(given).toHaveLength(3);
  });

  it('out of order: one that stays alone is given when its wait is over, and holds up none after it', async () => {
    const rehearsal = make({ otherMs: 1, hangsMs: 0 });
    rehearsal.expect('out-of-order');
    expect(await rehearsal.answer(heard('1'))).toBe(200);
    await Promise.all(['2', '3'].map(id => rehearsal.answer(heard(id))));
    expect(given).toEqual(['body of 1 1', 'body of 2 1', 'body of 3 1']);
  });
});
