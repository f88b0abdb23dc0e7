import { isContradiction } from './payment';

const anything = { outcome: null, status: null, answer: null, hasNotices: false };

describe('what no payment can be', () => {
  it.each([
    { outcome: 'SETTLED', status: 'BANK_OFFLINE' },
    { outcome: 'REVERSED', status: 'FAILED' },
    { outcome: 'PENDING', status: 'FAILED' },
    { outcome: 'PENDING', answer: 'HTTP_200' },
    { outcome: 'PENDING', answer: 'TIMEOUT' },
    { outcome: 'REFUNDED', status: 'FAILED' },
    // Of notices, which are no lines of the list.
    { status: 'REVERSED' },
    { status: 'REFUNDED' },
  ] as const)('%j', wanted => {
    expect(isContradiction({ ...anything, ...wanted })).toBe(true);
  });

  it.each([
    {},
    { status: 'FAILED', answer: 'NON_200' },
    { outcome: 'NO_MONEY', status: 'SUCCESS' },
    { outcome: 'NO_MONEY', status: 'FAILED' },
    { outcome: 'NO_MONEY', answer: 'HTTP_200' },
    { outcome: 'SETTLED', status: 'SUCCESS', answer: 'HTTP_200' },
    { outcome: 'SETTLED', answer: 'READ' },
    { outcome: 'REVERSED', answer: 'NON_200' },
    // The core may fail to give back what was not acknowledged.
    { outcome: 'SETTLED', answer: 'NON_200' },
    // The core may give back what was acknowledged.
    { outcome: 'REVERSED', answer: 'HTTP_200' },
    { outcome: 'PENDING', status: 'SUCCESS' },
    { status: 'REFUNDED', hasNotices: true },
  ] as const)('not so: %j', wanted => {
    expect(isContradiction({ ...anything, ...wanted })).toBe(false);
  });
});
