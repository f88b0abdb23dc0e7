import type { FollowUp } from '../sandbox/scenarios';

/** Calls of the portal to the sandbox's payment core for a merchant: POST payment-simulator /internal/portal/sandbox/{operation}. */
export type PortalSandboxOperation = keyof PortalSandboxAnswers;

export interface PortalSandboxRequest {
  /** Whose code it is. */
  merchantId: number;
  /** Exact decimal as digits. */
  amount?: string;
  currencyCode?: string;
  merchantReference?: string;
  shortDescription?: string | null;
  /** Milliseconds since 1970; 0: never. */
  expiryDate?: number;
  useOnce?: boolean;
  requestTip?: boolean;
  code?: string;
  /** Terminal TxState of the payment. */
  txState?: string;
  /** How much later than it is stored the payment is announced: a slow payment core. */
  announcedAfterS?: number | null;
  followUp?: FollowUp;
}

/** The answer of each operation. */
export interface PortalSandboxAnswers {
  'make-code': PortalSandboxCode;
  pay: PortalSandboxTransaction;
  follow: PortalSandboxTransaction;
}

export interface PortalSandboxCode {
  code: string;
  /** The payment page, which is the content of the QR image. */
  payUrl: string;
  /** Path of the QR image on the gateway. */
  qrPath: string;
  /** Milliseconds since 1970; null: never. */
  expiresAtMs: number | null;
}

export interface PortalSandboxTransaction {
  transactionId: number;
  status: string;
}
