import { refundedAmountOf, refundProblem, reversalProblem, reversalStateOf, type StoredTransaction } from './transaction';

const refundOf = (amount: string, txState = 'END_REFUNDED') => ({ transactionId: 2, txState, amount });
const purchase = (over: Partial<StoredTransaction> = {}): StoredTransaction => ({
  transactionId: 1,
  idempotencyKey: null,
  merchantId: 1001,
  kind: 'PURCHASE',
  txState: 'SUCCESS',
  reference: 'order-1',
  amount: '110.10',
  currencyCode: 'ZAR',
  code: null,
  referenceTransactionId: 0,
  completedAt: '2026-11-20T10:00:00.000Z',
  notification: 'sealed',
  reversal: null,
  refunds: [],
  ...over,
});
const reversed = { transactionId: 3, txState: 'END_REVERSED' };

describe('a refund', () => {
  const refund = { merchantId: 1001, amount: '10.10', currencyCode: 'ZAR' };

  it.each([
    ['in full', '110.10', []],
    ['in part', '0.01', []],
    ['of all that is left', '10.10', [refundOf('60'), refundOf('40.00')]],
    ['after one that failed', '110.10', [refundOf('110.10', 'END_REFUND_FAILED')]],
  ])('may be made %s (R-3.2-3)', (_, amount, refunds) => {
    expect(refundProblem({ ...refund, amount }, purchase({ refunds }))).toBeNull();
  });

  it.each([
    ['nothing', undefined, 'is not a purchase of this merchant'],
    ['a purchase of another merchant', purchase({ merchantId: 1002 }), 'is not a purchase of this merchant'],
    ['a refund', purchase({ kind: 'REFUND' }), 'is not a purchase of this merchant'],
    ['a payment that failed', purchase({ txState: 'END_BANK_DECLINE' }), 'is not a successful purchase'],
    ['a payment in dollars', purchase({ currencyCode: 'USD' }), 'was paid in another currency'],
    ['a smaller payment', purchase({ amount: '10.09' }), 'would be refunded by more than was paid'],
    ['what is left', purchase({ refunds: [refundOf('100.01')] }), 'would be refunded by more than was paid'],
  ])('of %s is refused (R-3.2-3)', (_, original, problem) => {
    expect(refundProblem(refund, original)).toBe(problem);
  });

  it('counts once it has succeeded (R-3.2-3)', () => {
    const refunds = [refundOf('1.5'), refundOf('2', 'END_REFUND_FAILED'), refundOf('0.25')];
    expect(refundedAmountOf(purchase({ refunds }))).toBe('1.75');
  });
});

describe('a reversal', () => {
  const reversal = { merchantId: 1001, amount: '110.1', currencyCode: 'ZAR', txState: 'END_REVERSED' };
  const failed = { ...reversal, txState: 'END_REVERSAL_FAILED' };
  const refundedInPart = purchase({ refunds: [refundOf('0.01')] });

  it.each([
    ['a success', purchase(), 'END_REVERSED'],
    ['a success whose refund failed', purchase({ refunds: [refundOf('5', 'END_REFUND_FAILED')] }), 'END_REVERSED'],
    ['a success refunded in part', refundedInPart, 'END_REVERSAL_FAILED'],
    ['a payment that failed', purchase({ txState: 'END_BANK_DECLINE' }), 'END_REVERSAL_FAILED'],
    ['a payment reversed before', purchase({ txState: 'END_REVERSED' }), 'END_REVERSAL_FAILED'],
  ])('of %s ends as %s (A-02)', (_, original, state) => {
    expect(reversalStateOf(original)).toBe(state);
  });

  it('is accepted of a success in full; one that failed is accepted of anything (A-74)', () => {
    expect(reversalProblem(reversal, purchase())).toBeNull();
    expect(reversalProblem(failed, purchase())).toBeNull();
    expect(reversalProblem(failed, refundedInPart)).toBeNull();
  });

  it.each([
    ['of nothing', { announced: reversal, original: undefined }, 'is not a purchase of this merchant'],
    [
      'of another merchant',
      { announced: reversal, original: purchase({ merchantId: 1002 }) },
      'is not a purchase of this merchant',
    ],
    ['of a refund', { announced: reversal, original: purchase({ kind: 'REFUND' }) }, 'is not a purchase of this merchant'],
    ['for the second time', { announced: reversal, original: purchase({ reversal: reversed }) }, 'was reversed before'],
    ['for the second time, failed', { announced: failed, original: purchase({ reversal: reversed }) }, 'was reversed before'],
    ['after a refund', { announced: reversal, original: refundedInPart }, 'cannot be reversed any more'],
    ['in part', { announced: { ...reversal, amount: '110' }, original: purchase() }, 'is reversed in full or not at all'],
    [
      'in dollars',
      { announced: { ...reversal, currencyCode: 'USD' }, original: purchase() },
      'is reversed in full or not at all',
    ],
  ])('%s is not accepted (A-74)', (_, { announced, original }, problem) => {
    expect(reversalProblem(announced, original)).toBe(problem);
  });
});
