/** What may follow a payment in the sandbox at a merchant's wish. */
export const followUps = ['REFUND', 'REVERSAL'] as const;
export type FollowUp = (typeof followUps)[number];

/** A rehearsal with a name, for whoever writes a receiver: `paycode-dev trigger <name>`, and a button in the portal. */
export interface Scenario {
  name: string;
  /** What the receiver is going to see. */
  sees: string;
  /** A code for each, paid with this TxState. */
  payments: readonly string[];
  followUp: FollowUp | null;
  /** What the listener at a desk (`paycode-dev listen`) plays with it: it happens only after a fault. */
  rehearsal: 'duplicate' | 'out-of-order' | 'hanging' | null;
  /** ALL_AT_ONCE: as many payments as whoever plays it wishes. */
  pace: 'ONE_BY_ONE' | 'CUSTOMER_IS_SLOW' | 'ALL_AT_ONCE';
}

/** A status of a purchase and the TxState that the sandbox makes it with. */
const ends: readonly (readonly [status: string, txState: string])[] = [
  ['SUCCESS', 'SUCCESS'],
  ['BANK_REJECTED', 'END_BANK_DECLINE'],
  ['BANK_OFFLINE', 'END_BANK_OFFLINE'],
  ['CLIENT_CANCEL', 'END_CLIENT_CANCEL'],
  ['CLIENT_TIMEOUT', 'END_CLIENT_TIMEOUT'],
  ['TRANSACTION_REJECTED', 'END_INVALID_AMOUNT'],
  ['SYSTEM_ERROR', 'END_SYSTEM_ERROR'],
  ['LIMIT_FAILED', 'END_LIMIT_FAILED'],
  ['HASH_CHECK_FAILED', 'END_HASH_CHECK_FAILED'],
  ['HASH_CHECK_MISSING', 'END_HASH_CHECK_MISSING'],
  ['BANK_PAYMENT_CANCELLATION', 'END_BANK_PAYMENT_CANCELLATION'],
  ['DO_NOT_TRY_AGAIN', 'END_DO_NOT_TRY_AGAIN'],
  ['TRY_AGAIN_AFTER_X_HRS', 'END_TRY_AGAIN_AFTER_X_HRS'],
  ['CARD_EXPRIY_NOT_ALLOWED', 'END_CARD_EXPRIY_NOT_ALLOWED'],
  ['INTERNATIONAL_BIN_NOT_ALLOWED', 'END_INTERNATIONAL_BIN_NOT_ALLOWED'],
  ['BIN_CLASSIFICATION_NOT_ALLOWED', 'END_NOTALLOW_BIN_CLASSIFICATION'],
  ['TIMEOUT_PURCHASE', 'END_TIMEOUT_PURCHASE'],
  ['FAILED', 'END_FAILED'],
];

/** The steps of WIG and USSD flows that are known to time out. */
const steps = ['ADD_CARD', 'CARD_DETAILS', 'CARD_NOT_SUPPORTED', 'CARD_VALIDATION', 'LINK_CARD_FAILED', 'PURCHASE'];

const usual = { payments: ['SUCCESS'], followUp: null, rehearsal: null, pace: 'ONE_BY_ONE' } as const;

/** The one list of scenarios. */
export const scenarios: readonly Scenario[] = [
  ...ends.map(([status, txState]) => ({
    ...usual,
    name: status.toLowerCase().replaceAll('_', '-'),
    sees: `one notification with status ${status}`,
    payments: [txState],
  })),
  {
    ...usual,
    name: 'all-statuses',
    sees: `${ends.length} notifications, one with each status of a purchase: ${ends.map(([status]) => status).join(', ')}`,
    payments: ends.map(([, txState]) => txState),
  },
  {
    ...usual,
    name: 'timeouts',
    sees: `${steps.length} notifications, one for each step that may time out: ${steps.map(step => `TIMEOUT_${step}`).join(', ')}`,
    payments: steps.map(step => `END_TIMEOUT_${step}`),
  },
  {
    ...usual,
    name: 'refund',
    sees: 'a SUCCESS, then a REFUNDED whose referenceTransactionId is the id of the payment',
    followUp: 'REFUND',
  },
  {
    ...usual,
    name: 'reversal',
    sees: 'a SUCCESS, and a REVERSED whose referenceTransactionId is the id of the payment; the REVERSED may come first',
    followUp: 'REVERSAL',
  },
  {
    ...usual,
    name: 'duplicate',
    sees: 'a SUCCESS twice, the second time as attempt 2, whose answer counts: without a 200 the payment is reversed',
    rehearsal: 'duplicate',
  },
  {
    ...usual,
    name: 'out-of-order',
    sees: 'a REVERSED, and only when you have answered it the SUCCESS that it reverses',
    followUp: 'REVERSAL',
    rehearsal: 'out-of-order',
  },
  {
    ...usual,
    name: 'hanging',
    sees: 'a SUCCESS, whose answer stays away: after 45 seconds the payment is reversed, and a REVERSED follows, whatever you answered',
    rehearsal: 'hanging',
  },
  {
    ...usual,
    name: 'slow',
    sees: 'nothing while the customer, or the payment core, takes its time, then a SUCCESS',
    pace: 'CUSTOMER_IS_SLOW',
  },
  { ...usual, name: 'burst', sees: 'many SUCCESS notifications at once', pace: 'ALL_AT_ONCE' },
];
