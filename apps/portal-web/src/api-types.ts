/** Types of the portal's answers; instants are ISO 8601 UTC, amounts exact decimals as text. */
export type Stage = 'CODE_DUE' | 'ENROL_DUE' | 'FULL';

export interface Me {
  stage: Stage;
  environment: string;
  person: {
    personId: string;
    email: string;
    name: string;
    tenantType: 'MERCHANT' | 'PSP' | 'ACQUIRER' | 'OPERATOR';
    tenantId: string;
    tenantName: string;
    role: string;
    hasTotp: boolean;
    hasPasskey: boolean;
    mayConfigure: boolean;
    mayInvite: boolean;
    mayTest: boolean;
    mayRenewCredentials: boolean;
    mayReadNotification: boolean;
    mayOnCall: boolean;
  };
}

export interface Merchant {
  merchantId: number;
  merchantName: string;
  pspId: number | null;
  acquirer: string;
  status: 'ACTIVE' | 'SUSPENDED';
}

export type Outcome = 'PENDING' | 'SETTLED' | 'REVERSED' | 'NO_MONEY';

export type Answer = 'HTTP_200' | 'READ' | 'NON_200' | 'CONNECTION' | 'TIMEOUT' | 'NEVER_SENT' | 'BACKSTOP';

export interface Payment {
  transactionId: number;
  merchantId: number;
  kind: 'PURCHASE' | 'REFUND' | 'REVERSAL';
  status: string;
  outcome: Outcome;
  completedAt: string;
  amount: string;
  currencyCode: string;
  reference: string;
  code: string | null;
  referenceTransactionId: number;
  reversedBy: number | null;
  answer: Answer | null;
}

export interface PaymentPage {
  payments: Payment[];
  next: string | null;
  previous: string | null;
}

export interface ShownPayment {
  payment: Payment;
  explanation: { headline: string; why: string; advice: string[] };
  timeline: { at: string; kind: string; text: string }[];
  silent: string[];
  attempts: Attempt[];
  /** Whether reading the notification, as a program of the merchant does, would acknowledge this payment. */
  doesFetchAcknowledge: boolean;
}

export interface Attempt {
  attempt: number;
  startedAt: string;
  /** null: under way, or not known. */
  outcome: string | null;
  elapsedMs: number | null;
}

/** A notification as the receiver saw it; tells who paid. */
export interface ShownNotification {
  body: string;
  isErased: boolean;
  request: { headers: Record<string, string>; body: string } | null;
}

export interface Home {
  today: { outcome: Outcome; currencyCode: string; count: number; amount: string }[];
  chart: {
    since: string;
    bucketS: number;
    buckets: {
      at: string;
      settled: number;
      reversed: number;
      pending: number;
      medianMs: number | null;
      slowestMs: number | null;
    }[];
  };
  lastHour: { reversed: number; acknowledged: number; failed: number };
  /** Of one merchant: until when people on call let its deliveries wait. */
  pausedUntil: string | null;
}

export interface Notifications {
  http: { url: string; version: string; keyId: string; changedAt: string } | null;
  encryption: string;
  recipients: { type: 'EMAIL' | 'SMS'; value: string }[];
}

export interface RevealedKey {
  url: string;
  version: string;
  encryptKey: string;
}

export interface ProbeResult {
  url: string;
  isAccepted: boolean;
  reason: string | null;
  detail: string | null;
  status: number | null;
  timings: { dnsMs: number | null; connectMs: number | null; tlsMs: number | null; firstByteMs: number | null; totalMs: number };
  certificateExpiresAt: string | null;
}

export interface TestResult extends ProbeResult {
  transactionId: number;
  reference: string;
  encryption: string;
  /** Whether the server opens what it answers with 200. */
  isOpened: 'YES' | 'NO' | 'NOT_SEEN';
}

/** How the programs of a merchant or PSP sign in to the API. */
export interface Credentials {
  username: string;
  mode: 'BASIC' | 'BEARER';
  hasPassword: boolean;
  challengeRequired: boolean;
  /** Where it may be used from; empty: everywhere. */
  sourceAddresses: string[];
  publicKeySha256: string | null;
  passwordChangedAt: string;
}

/** Answer to whoever asked. */
export interface AskedFourEyes extends FourEyesRequest {
  isMailed: boolean;
}

/** A request of one person that another person of the same tenant confirms. */
export interface FourEyesRequest {
  requestId: string;
  state: 'OPEN' | 'CONFIRMED' | 'WITHDRAWN' | 'REFUSED' | 'EXPIRED' | 'ASKER_LEFT' | 'CHANGED';
  askedBy: { personId: string; name: string };
  askedAt: string;
  expiresAt: string;
  endedBy: string | null;
}

/** How the switch to Bearer is made here. */
export interface SwitchOverview {
  takesTwo: boolean;
  request: FourEyesRequest | null;
  /** People who may ask and confirm; a newcomer may from `confirmsFrom` on. */
  owners: { personId: string; name: string; confirmsFrom: string }[];
}

/** A session that a program opened. */
export interface ApiSession {
  sessionId: string;
  loginKind: 'PASSWORD' | 'CHALLENGE';
  startedAt: string;
  expiresAt: string;
}

export interface BrowserSession {
  sessionId: string;
  address: string;
  userAgent: string;
  createdAt: string;
  seenAt: string;
  isThisOne: boolean;
}

/** One's own. */
export interface Passkey {
  passkeyId: string;
  name: string;
  createdAt: string;
  usedAt: string | null;
}

export interface Colleague {
  personId: string;
  email: string;
  name: string;
  role: string;
  hasTotp: boolean;
  hasPassword: boolean;
}

/** A rehearsal with a name; `paycode-dev trigger` plays the same. */
export interface Scenario {
  name: string;
  sees: string;
  ought: string | null;
  timeline: string | null;
  /** A code for each, paid with this TxState. */
  payments: string[];
  followUp: 'REFUND' | 'REVERSAL' | null;
  rehearsal: 'duplicate' | 'out-of-order' | 'hanging' | null;
  announcedAfterS: number;
  isNoticeRepeated: boolean;
  playedBy: ('PORTAL' | 'COMMAND')[];
  pace: 'ONE_BY_ONE' | 'CUSTOMER_IS_SLOW' | 'ALL_AT_ONCE';
}

export interface SandboxCode {
  code: string;
  payUrl: string;
  qrPath: string;
  merchantReference: string;
  amount: string;
  currencyCode: string;
}

export interface SandboxTransaction {
  transactionId: number;
  status: string;
}
