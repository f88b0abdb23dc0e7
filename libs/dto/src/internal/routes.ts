/**
 * The channels to a merchant's recipients, beside the webhook (R-2.4-2, R-6.2-3). Everything that differs by channel is in tables with
 * `satisfies Record<Channel, …>`, so that the compiler names each place where a new channel must be added.
 */
export const channels = ['EMAIL', 'SMS'] as const;

export type Channel = (typeof channels)[number];

/** Addresses or numbers of one merchant, by channel. */
export type Recipients = Readonly<Record<Channel, readonly string[]>>;

/** Message for any other type (R-7-11). */
export const validTypesText = `Valid types are ${channels.join(' or ')}`;

export const noRecipients: Recipients = { EMAIL: [], SMS: [] };

export type EncryptionProfile = 'AES-128-GCM' | 'AES-128-CBC-LEGACY';

/** POST notification-config /internal/routes. At most 1,000 merchants a call. */
export interface RoutesRequest {
  merchantIds: number[];
}

/**
 * Where and how to notify one merchant. The caller may use it to *start* requests for `leaseMs`, counted on its monotonic clock from
 * just before the call, so that a slow answer is not used after the change that replaced it.
 */
export interface Route {
  merchantId: number;
  /** null: the merchant has no webhook. */
  url: string | null;
  version: string | null;
  encryption: EncryptionProfile;
  /** Webhook key sealed under the key-encryption key; AAD = `webhook-key:{merchantId}:{keyId}`; null without url. */
  sealedKey: string | null;
  keyId: string | null;
  /** Header field that the server demands, sealed as the key is; AAD = `receiver-credential:{merchantId}:{url}`; null: none. */
  sealedCredential: string | null;
  /** Whether its connections show the platform's client certificate. */
  hasClientCertificate: boolean;
  recipients: Recipients;
  /** Owning PSP: it may read the merchant's notifications. */
  pspId: number | null;
  leaseMs: number;
}

/** GET notification-config /internal/merchants/{merchantId} (operator, payment-simulator). */
export interface MerchantRecord {
  merchantId: number;
  merchantName: string;
  pspId: number | null;
  acquirer: string;
  status: 'ACTIVE' | 'SUSPENDED';
}
