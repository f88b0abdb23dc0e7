import {
  type Asked,
  type Circumstances,
  confirmsFrom,
  judge,
  newcomerMs,
  type RequestChange,
  type State,
  stateIn,
} from './request';

const now = new Date('2030-01-02T00:00:00Z');
const at = (ms: number) => new Date(now.getTime() + ms);
const asked: Asked = { state: 'OPEN', askedBy: 'asker', expiresAt: at(1), fingerprint: 'f' };
const today: Circumstances = { now, mayAsk: true, fingerprint: 'f' };
const other = { personId: 'other', joinedAt: at(-newcomerMs) };
const asker = { ...other, personId: 'asker' };

describe('a request that takes a second person', () => {
  it.each<[string, State, { circumstances?: Partial<Circumstances>; over?: Partial<Asked> }]>([
    ['is open', 'OPEN', {}],
    ['ends at its minute', 'EXPIRED', { circumstances: { now: at(1) } }],
    ['dies with the role of whoever asked', 'ASKER_LEFT', { circumstances: { mayAsk: false } }],
    ['dies when what it is about changed', 'CHANGED', { circumstances: { fingerprint: 'g' } }],
    [
      'stays what it became',
      'REFUSED',
      { circumstances: { now: at(1), mayAsk: false, fingerprint: 'g' }, over: { state: 'REFUSED' } },
    ],
    ['is not looked at for changes when nothing is done', 'OPEN', { circumstances: { fingerprint: null } }],
  ])('%s (A-95)', (_, state, { circumstances, over }) => {
    expect(stateIn({ ...asked, ...over }, { ...today, ...circumstances })).toBe(state);
  });

  const newcomer = { ...other, joinedAt: at(1 - newcomerMs) };
  it.each<[string, { step: RequestChange; by: typeof other }, ReturnType<typeof judge>]>([
    ['another owner confirms', { step: 'CONFIRM', by: other }, { state: 'CONFIRMED', refusal: null }],
    ['whoever asked does not confirm', { step: 'CONFIRM', by: asker }, { state: 'OPEN', refusal: 'OWN' }],
    ['a newcomer does not confirm', { step: 'CONFIRM', by: newcomer }, { state: 'OPEN', refusal: 'NEWCOMER' }],
    ['another owner refuses', { step: 'REFUSE', by: other }, { state: 'REFUSED', refusal: null }],
    ['a newcomer refuses', { step: 'REFUSE', by: newcomer }, { state: 'REFUSED', refusal: null }],
    ['whoever asked does not refuse', { step: 'REFUSE', by: asker }, { state: 'OPEN', refusal: 'OWN' }],
    ['whoever asked withdraws', { step: 'WITHDRAW', by: asker }, { state: 'WITHDRAWN', refusal: null }],
    ['another owner does not withdraw', { step: 'WITHDRAW', by: other }, { state: 'OPEN', refusal: 'NOT_ASKER' }],
  ])('%s (A-95)', (_, taken, becomes) => expect(judge(taken, asked, today)).toEqual(becomes));

  it.each<RequestChange>(['CONFIRM', 'WITHDRAW', 'REFUSE'])('takes no %s once it has ended, and says how it did (A-95)', step => {
    for (const state of ['CONFIRMED', 'WITHDRAWN', 'REFUSED', 'EXPIRED', 'ASKER_LEFT', 'CHANGED'] as const)
      expect(judge({ step, by: step === 'WITHDRAW' ? asker : other }, { ...asked, state }, today)).toEqual({
        state,
        refusal: state,
      });
    expect(judge({ step, by: other }, asked, { ...today, now: at(1) })).toEqual({ state: 'EXPIRED', refusal: 'EXPIRED' });
  });

  it('counts whoever was let in a day ago', () => expect(confirmsFrom(other.joinedAt)).toEqual(now));
});
