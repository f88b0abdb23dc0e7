import type { PersonProofRequest } from '@paycode/dto';
import { Proofs } from './proofs';

/** proves: T-27 */
describe('the proof of a person for other services', () => {
  let asked: string[];
  let answer: () => Promise<unknown>;
  beforeEach(() => {
    asked = [];
    answer = () => Promise.resolve({ ok: true, value: { assertion: `assertion ${asked.length}` } });
  });
  const proofs = () =>
    new Proofs({
      post: <T>(_path: string, body: unknown) => {
        asked.push((body as PersonProofRequest).secret);
        return answer() as Promise<T>;
      },
    });
  const session = { secret: 's', sessionId: '1' };
  const header = (text: string) => ({ 'x-paycode-person': text });

  it('is one for the reads of a session, and another one for each session', async () => {
    const all = proofs();
    expect(await all.of(session, true)()).toEqual(header('assertion 1'));
    expect(await all.of(session, true)()).toEqual(header('assertion 1'));
    expect(await all.of({ secret: 't', sessionId: '2' }, true)()).toEqual(header('assertion 2'));
    expect(asked).toEqual(['s', 't']);
  });

  it('is a new one for each change, and one for all calls of that change', async () => {
    const all = proofs();
    await all.of(session, true)();
    const change = all.of(session, false);
    expect([await change(), await change()]).toEqual([header('assertion 2'), header('assertion 2')]);
    expect(await all.of(session, false)()).toEqual(header('assertion 3'));
  });

  it('is asked for again by the next read when auth-session does not answer, and the person is told', async () => {
    const all = proofs();
    const answers = answer;
    answer = () => Promise.reject(new Error('away'));
    await expect(all.of(session, true)()).rejects.toMatchObject({ status: 503, reason: 'PROOF_UNAVAILABLE' });
    answer = answers;
    expect(await all.of(session, true)()).toEqual(header('assertion 2'));
  });

  it('is refused for a session that has ended', async () => {
    answer = () => Promise.resolve({ ok: false, status: 401, reason: 'NOT_SIGNED_IN', message: 'please sign in' });
    await expect(proofs().of(session, false)()).rejects.toMatchObject({ status: 401, reason: 'NOT_SIGNED_IN' });
  });
});
