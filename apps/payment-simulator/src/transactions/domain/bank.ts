import type { BankResponse, CardInfo } from '@paycode/dto';

/** ISO 8583 response code and words of the simulated bank, for the states in which it was asked. */
const answers: Readonly<Record<string, readonly [string, string]>> = {
  SUCCESS: ['00', 'Approved'],
  END_REVERSED: ['00', 'Approved'],
  END_REFUNDED: ['00', 'Approved'],
  END_BANK_NON_00: ['12', 'Invalid transaction'],
  END_BANK_DECLINE: ['05', 'Do not honour'],
  BANK_REJECTED: ['05', 'Do not honour'],
  END_INSUFFICIENT_FUNDS_OR_OVER_CREDIT_LIMIT: ['51', 'Insufficient funds'],
  END_BANK_EXPIRED: ['54', 'Expired card'],
  END_BANK_OFFLINE: ['91', 'Issuer inoperative'],
  END_BANK_ERROR: ['96', 'System malfunction'],
  END_DO_NOT_TRY_AGAIN: ['57', 'Transaction not permitted to cardholder'],
  END_TRY_AGAIN_AFTER_X_HRS: ['65', 'Exceeds withdrawal frequency limit'],
  END_BANK_PAYMENT_CANCELLATION: ['R1', 'Revocation of authorisation order'],
  END_REVERSAL_FAILED: ['96', 'System malfunction'],
  END_REFUND_FAILED: ['96', 'System malfunction'],
};

/** The card was refused by its number or expiry, before a bank was asked. */
const cardRefused = new Set([
  'END_NOTALLOW_BIN_CLASSIFICATION',
  'END_BIN_CLASSIFICATION_NOT_ALLOWED',
  'END_CARD_EXPRIY_NOT_ALLOWED',
  'END_INTERNATIONAL_BIN_NOT_ALLOWED',
]);

/** Approved, or approved and cancelled by the bank afterwards. */
const authorised = new Set(['00', 'R1']);

const noBank: BankResponse = {
  retrievalReferenceNumber: null,
  authCode: null,
  bankResponse: null,
  bankResponseMessage: null,
};

const noCard: CardInfo = {
  cardType: null,
  accountType: null,
  cardHolderName: null,
  bin: null,
  last4: null,
  binLast4: null,
  cardIssuer: null,
};

/** A test card of the card schemes; not a full number anywhere (R-2.5-15). */
const testCard: CardInfo = {
  cardType: 'VISA',
  accountType: 'CREDIT',
  cardHolderName: 'T CUSTOMER',
  bin: '411111',
  last4: '1111',
  binLast4: '411111-1111',
  cardIssuer: 'Sandbox Bank',
};

/** Members are null when the transaction ended before a bank was reached. */
export function bankResponseOf(txState: string, transactionId: number): BankResponse {
  const answer = answers[txState];
  if (!answer) return noBank;
  const [bankResponse, bankResponseMessage] = answer;
  return {
    retrievalReferenceNumber: 600_000_000_000 + (transactionId % 100_000_000_000),
    authCode: authorised.has(bankResponse) ? String(transactionId % 1_000_000).padStart(6, '0') : '',
    bankResponse,
    bankResponseMessage,
  };
}

export function cardInfoOf(txState: string): CardInfo {
  return answers[txState] || cardRefused.has(txState) ? testCard : noCard;
}
