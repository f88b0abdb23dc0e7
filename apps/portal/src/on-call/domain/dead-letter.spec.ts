import { effectOf, type LetterFacts, type RedriveEffect } from './dead-letter';

const now = Date.parse('2030-01-01T01:00:00Z');
const fresh: LetterFacts = {
  group: 'webhook-dispatcher',
  defect: null,
  eventAt: '2030-01-01T00:59:00Z',
  hasDelivery: false,
  isDecided: false,
};

describe('what a redrive would do', () => {
  it.each<[string, RedriveEffect, Partial<LetterFacts>]>([
    ['a record that cannot be used is parked again', 'FAILS_AGAIN', { defect: 'value is not JSON', hasDelivery: true }],
    ['a payment that has its delivery is ignored', 'DUPLICATE', { hasDelivery: true, isDecided: true }],
    ['a payment that was decided without its delivery stays decided', 'DECIDED', { isDecided: true }],
    ['a fresh one is delivered', 'DELIVERED', {}],
    ['one that is older than 15 minutes comes too late', 'LATE', { eventAt: '2030-01-01T00:44:59Z' }],
    ['nobody can say while the dispatcher is silent', 'UNKNOWN', { hasDelivery: undefined }],
    ['an acknowledgement settles what is open', 'SETTLED', { group: 'reversal-scheduler' }],
    ['an acknowledgement of what is decided is ignored', 'DUPLICATE', { group: 'reversal-scheduler', isDecided: true }],
    ['nobody can say while the scheduler is silent', 'UNKNOWN', { group: 'reversal-scheduler', isDecided: undefined }],
    ['a reversal that the scheduler forgot is decided again', 'REVERSED', { group: 'reversal-scheduler-restore' }],
    ['an undecided payment is watched', 'WATCHED', { group: 'reversal-scheduler-audit' }],
    ['recipients get their messages', 'MESSAGES', { group: 'recipient-messages' }],
    ['the portal shows it', 'SHOWN', { group: 'portal-acks' }],
    ['of a group of another release nobody can say', 'UNKNOWN', { group: 'tomorrow' }],
  ])('%s (A-97)', (_, effect, over) => expect(effectOf({ ...fresh, ...over }, now)).toBe(effect));
});
