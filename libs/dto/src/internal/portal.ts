import type { FieldError } from '../access/error-catalogue';
import type { Addressee } from './alerts';
import type { RedeliveryAnswer } from './deliveries';
import type { ReadsIn } from './people';
import type { ReceiverCredential } from './receiver-credential';
import type { Channel, EncryptionProfile, MerchantRecord } from './routes';

/** Calls of the portal about a merchant's notifications: POST notification-config /internal/portal/notifications/{operation}. */
export type PortalOperation = keyof PortalOperationAnswers<unknown>;

/** Whose merchants. */
export type MerchantOwner = { merchantId: number } | { pspId: number } | { acquirer: string } | { all: true };

/** Merchants with these ids, at most 1,000; or, at most 50, those in whose name the text stands, small and capital letters alike. */
export type MerchantSearch = { merchantIds: number[] } | { named: string };

/** POST notification-config /internal/portal/merchants, the smallest ids first. */
export interface PortalMerchantsRequest {
  owner: MerchantSearch;
}

export type PortalMerchantsAnswer = MerchantRecord[];

/** POST notification-config /internal/portal/merchants/ids: an owner's merchants, the smallest ids first. */
export interface MerchantIdsRequest {
  owner: MerchantOwner;
}

/** Merchants of one owner that the portal shows; an owner of more sees those with the smallest ids. */
export const merchantsOfOwnerMax = 10_000;

/** GET notification-config /internal/portal/merchants/old-keys: merchants whose key was made more than a year ago, the oldest key first, at most 1,000. */
export interface OldKey {
  merchantId: number;
  pspId: number | null;
  /** When the key was made. ISO 8601 UTC. */
  madeAt: string;
}

/** POST notification-config /internal/portal/merchants/page: an owner's merchants by name. */
export interface MerchantPageRequest extends MerchantIdsRequest {
  /** How a name begins, small and capital letters alike, or a whole id; absent: all. */
  search?: string;
  /** The merchant with which the page before ended. */
  after?: number;
  /** 1 to 100. */
  limit: number;
}

export interface MerchantPage {
  merchants: MerchantRecord[];
  /** For `after`; null: this is the last page. */
  next: number | null;
}

export interface PortalRequest {
  merchantId: number;
  url?: string;
  credential?: ReceiverCredential;
  clientCertificate?: boolean;
  type?: Channel;
  value?: string;
}

/** Settings of a merchant; never a key. */
export interface PortalNotifications {
  http: {
    url: string;
    version: string;
    keyId: string;
    changedAt: string;
    /** Whether requests carry a credential; nobody can read it. */
    hasCredential: boolean;
    hasClientCertificate: boolean;
    /** ISO 8601 UTC: when its server first opened a test notification under this URL and key; null: never. */
    openedAt: string | null;
  } | null;
  encryption: EncryptionProfile;
  /** PEM of the authorities of the platform's client certificate; null: the platform has none. */
  certificateAuthorities: string | null;
  recipients: { type: Channel; value: string }[];
}

/** Answer of addHttp and renewKey, the only endpoints that show a key (R-2.4-5). */
export interface HttpNotificationAnswer {
  merchantId: number;
  url: string;
  version: string;
  /** 32 lower-case hexadecimal characters. */
  encryptKey: string;
}

/** Result of a test notification: `Outcome` is the answer of its receiver, in the terms of a check. */
export type TestNotificationResult<Outcome> = Outcome & {
  url: string;
  /** Outside the range of payments. */
  transactionId: number;
  /** `TEST-…` */
  reference: string;
  encryption: EncryptionProfile;
  isOpened: IsOpened;
};

/** How the receiver at a URL answered a check. */
export type CheckedUrl<Outcome> = { url: string } & Outcome;

/** The answer of each operation. */
export interface PortalOperationAnswers<Outcome> {
  list: PortalNotifications;
  'add-http': HttpNotificationAnswer;
  'remove-http': void;
  'renew-key': HttpNotificationAnswer;
  'add-recipient': PortalNotifications;
  'remove-recipient': PortalNotifications;
  check: CheckedUrl<Outcome>;
  'send-test': TestNotificationResult<Outcome>;
}

/**
 * Whether a receiver opens what it answers with 200. Each test notification that it takes is followed by one under a key that nobody has:
 * a receiver that takes this too opened neither.
 */
export type IsOpened = 'YES' | 'NO' | 'NOT_SEEN';

/** A refusal is an answer: the person is told what it says. */
export type PortalAnswer<T> =
  | { ok: true; value: T }
  | { ok: false; status: number; reason: string; message: string; retryAfterS?: number; errors?: FieldError[] };

/** Calls of the portal about the account that a merchant's or PSP's programs use: POST auth-session /internal/portal/accounts/{operation}. */
export type PortalAccountOperation = keyof PortalAccountAnswers;

export interface PortalAccountRequest {
  type: 'MERCHANT' | 'PSP';
  /** merchantId or pspId. */
  ownerId: number;
  /** Name of the person who asked for a change that another one confirms, for the security log. */
  askedBy?: string;
  /** Base64 of the X.509 RSA-4096 public key. */
  publicKey?: string;
  /** Of a trial of the registered key: what the signature is over, and the signature as base64. */
  nonce?: string;
  signature?: string;
  challengeRequired?: boolean;
  /** IP addresses and CIDR ranges; empty permits every address. */
  sourceAddresses?: string[];
  sessionId?: string;
}

/** A session that a program of the account opened. */
export interface PortalApiSession {
  sessionId: string;
  /** Whether the login proved the client's key. */
  loginKind: 'PASSWORD' | 'CHALLENGE';
  /** ISO 8601 UTC. */
  startedAt: string;
  /** ISO 8601 UTC: the end of its current token. */
  expiresAt: string;
}

/** Shown once. */
export interface NewPassword {
  apiPassword: string;
}

/** Whether the signature is by the registered key. */
export interface KeyTrial {
  verifies: boolean;
}

/** The answer of each operation. */
export interface PortalAccountAnswers {
  show: PortalAccount;
  'new-password': NewPassword;
  'set-public-key': PortalAccount;
  'try-public-key': KeyTrial;
  'require-challenge': PortalAccount;
  'bind-to-sources': PortalAccount;
  'enable-bearer': PortalAccount;
  sessions: PortalApiSession[];
  'end-session': Record<string, never>;
}

/**
 * POST auth-session /internal/console/proof: who is signed in with this secret of a session; …/invitation: who is invited with it; …/alert: who is to
 * be alerted with it.
 */
export interface PersonProofRequest {
  /** As the cookie, or the link, holds it. */
  secret: string;
}

/** POST auth-session /internal/console/owners: the owners of each as `Addressee`, in one list for each; at most 100 of them. */
export interface OwnersRequest {
  tenants: { merchantId: number; pspId: number | null }[];
}

/** The assertion that the portal sends beside its token when it calls a service for the person. */
export interface PersonProof {
  assertion: string;
}

/** Calls of the portal about a stored notification: POST webhook-dispatcher /internal/portal/notifications/{operation}. */
export type PortalNotificationOperation = keyof PortalNotificationAnswers;

export interface PortalNotificationRequest {
  transactionId: number;
  /** Whose it has to be. */
  merchantId: number;
}

/** The answer of each operation. */
export interface PortalNotificationAnswers {
  show: PortalShownNotification;
  fetch: PortalFetchedNotification;
  repeat: RedeliveryAnswer;
}

/** A notification as its receiver saw it. Personal data of the payer: shown, never stored. */
export interface PortalShownNotification {
  /** The JSON text that each attempt encrypts. */
  body: string;
  /** Whether the payer was erased: what was sent said more. */
  isErased: boolean;
  /** A request as an attempt would send it now; null: no URL is set. */
  request: { headers: Record<string, string>; body: string } | null;
}

/** Answer of getNotification to the merchant's programs. */
export interface PortalFetchedNotification {
  body: string;
}

/** An account without its secrets. */
export interface PortalAccount {
  username: string;
  mode: 'BASIC' | 'BEARER';
  hasPassword: boolean;
  challengeRequired: boolean;
  /** Where it may be used from; empty: everywhere. */
  sourceAddresses: string[];
  /** Hex SHA-256 of the registered client key; null without a key. */
  publicKeySha256: string | null;
  /** ISO 8601 UTC. */
  passwordChangedAt: string;
}

/** Actions that need two people of a tenant. */
export const fourEyesKinds = ['BEARER_SWITCH', 'DEAD_LETTERS'] as const;
export type FourEyesKind = (typeof fourEyesKinds)[number];

/**
 * POST recipient-messages /internal/recipient-messages/four-eyes, for the person who asks: one mail each, of that person's name and tenant.
 * Idempotent by requestId and address. Answer: 204 once it is stored.
 */
export interface PortalFourEyesNotice {
  /** UUID. */
  requestId: string;
  kind: FourEyesKind;
  /** People who can confirm. */
  to: (Addressee & { name: string })[];
  /** ISO 8601 UTC. */
  expiresAt: string;
}

/** Why a person is mailed: two with a link to choose a password, and an owner when somebody else is to become one. */
export const invitationReasons = ['INVITED', 'PASSWORD_FORGOTTEN', 'OWNER_RECOVERY'] as const;
export type InvitationReason = (typeof invitationReasons)[number];

/**
 * POST recipient-messages /internal/recipient-messages/invitations, with an assertion of the invitation: who is mailed, and the secret of the
 * link. No text that whoever invites could choose reaches the reader. Language and time zone are those of the person who invites, for somebody
 * whose own are not known. Idempotent by invitation. Answer: 204 once it is stored.
 */
export interface PortalInvitation extends Partial<ReadsIn> {
  reason: InvitationReason;
}
