/** Scenarios that a merchant can choose for a payment in the sandbox. */
export const followUps = ['REFUND', 'REVERSAL'] as const;
export type FollowUp = (typeof followUps)[number];

/** How late the sandbox's payment core may announce a payment, in seconds. */
export const announcedAfterSMax = 60;

/** A rehearsal with a name, for whoever writes a receiver: `paycode-dev trigger <name>`, and a button in the portal. */
export interface Scenario {
  name: string;
  /** Requests that the receiver gets. */
  sees: string;
  /** Advice to the receiver; null: handle it as any notification. */
  ought: string | null;
  /** Entries in the portal afterwards; null: one payment, as any. */
  timeline: string | null;
  /** A code for each, paid with this TxState. */
  payments: readonly string[];
  followUp: FollowUp | null;
  /** The fault that `paycode-dev listen` plays with it. */
  rehearsal: 'duplicate' | 'out-of-order' | 'hanging' | null;
  /** How many seconds after it is paid the payment core announces it, when the portal plays; at most `announcedAfterSMax`. */
  announcedAfterS: number;
  /** The notice of the follow-up is sent once more, when the portal plays. */
  isNoticeRepeated: boolean;
  playedBy: readonly ('PORTAL' | 'COMMAND')[];
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

const usual = {
  payments: ['SUCCESS'],
  ought: null,
  timeline: null,
  followUp: null,
  rehearsal: null,
  announcedAfterS: 0,
  isNoticeRepeated: false,
  playedBy: ['PORTAL', 'COMMAND'],
  pace: 'ONE_BY_ONE',
} as const;

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
    ought: 'answer each with 200, and hand over goods for SUCCESS alone',
    timeline: `${ends.length} payments; only the SUCCESS is settled by your answer, the others moved no money`,
    payments: ends.map(([, txState]) => txState),
  },
  {
    ...usual,
    name: 'timeouts',
    sees: `${steps.length} notifications, one for each step that may time out: ${steps.map(step => `TIMEOUT_${step}`).join(', ')}`,
    ought: 'treat every status that begins with TIMEOUT_ alike, also one that you do not know',
    timeline: `${steps.length} payments that moved no money`,
    payments: steps.map(step => `END_TIMEOUT_${step}`),
  },
  {
    ...usual,
    name: 'refund',
    sees: 'a SUCCESS, then a REFUNDED whose referenceTransactionId is the id of the payment',
    ought: 'find the payment by referenceTransactionId, and book the refund to it',
    timeline: 'the payment, settled, and the refund as a transaction of its own with a link to it',
    followUp: 'REFUND',
  },
  {
    ...usual,
    name: 'reversal',
    sees: 'a SUCCESS, and a REVERSED whose referenceTransactionId is the id of the payment; the REVERSED may come first',
    ought: 'take the goods back, or keep them, if they have not left',
    timeline: 'the payment, and the reversal as a transaction of its own with a link to it',
    followUp: 'REVERSAL',
  },
  {
    ...usual,
    name: 'duplicate',
    sees: 'a SUCCESS twice, the second time as attempt 2, whose answer counts: without a 200 the payment is reversed',
    ought: 'answer 200 both times, and hand the goods over once: the transactionId is the same',
    timeline: 'one attempt, and the second answer: the first one was lost on your machine',
    rehearsal: 'duplicate',
    playedBy: ['COMMAND'],
  },
  {
    ...usual,
    name: 'duplicate-notice',
    sees: 'a SUCCESS, then its REFUNDED, and the same REFUNDED again as attempt 2',
    ought: 'answer 200 each time, and book the refund once: the transactionId is the same',
    timeline: 'the refund with two attempts and the answer to each; the payment has one, because it moves money',
    followUp: 'REFUND',
    isNoticeRepeated: true,
    playedBy: ['PORTAL'],
  },
  {
    ...usual,
    name: 'out-of-order',
    sees: 'a REVERSED, and only after it the SUCCESS that it reverses',
    ought: 'answer both with 200, remember the REVERSED by its referenceTransactionId, and hand nothing over for the SUCCESS',
    timeline: 'the reversal, answered before the notification of its payment was received',
    followUp: 'REVERSAL',
    rehearsal: 'out-of-order',
    announcedAfterS: 10,
  },
  {
    ...usual,
    name: 'slow-core',
    sees: 'nothing for 20 seconds after the customer has paid, then a SUCCESS; your 45 seconds begin only with it',
    ought: 'hand nothing over before the SUCCESS, and let no order expire just because it is late',
    timeline: 'paid, and received from the payment core 20 seconds later',
    announcedAfterS: 20,
    playedBy: ['PORTAL'],
  },
  {
    ...usual,
    name: 'hanging',
    sees: 'a SUCCESS, whose answer stays away: after 45 seconds the payment is reversed, and a REVERSED follows, whatever you answered',
    ought: 'do what takes long after the answer, and undo the order when the REVERSED comes',
    timeline: 'an attempt without an answer, the end of the 45 seconds, and the reversal',
    rehearsal: 'hanging',
    playedBy: ['COMMAND'],
  },
  {
    ...usual,
    name: 'slow',
    sees: 'nothing while the customer takes its time, then a SUCCESS',
    ought: 'keep the order open as long as its code is',
    timeline: 'one payment, as any: the customer took its time before it',
    pace: 'CUSTOMER_IS_SLOW',
  },
  {
    ...usual,
    name: 'burst',
    sees: 'many SUCCESS notifications at once',
    ought: 'answer each with 200 within 45 seconds, also while the others wait',
    timeline: 'a payment each; see how long your server took to answer',
    pace: 'ALL_AT_ONCE',
  },
];
