export type EncryptionProfile = 'AES-128-GCM' | 'AES-128-CBC-LEGACY';

/** POST notification-config /internal/routes. At most 1,000 merchants a call. */
export interface RoutesRequest {
  merchantIds: number[];
}

/** Where and how to notify one merchant. May be used to *start* requests for `leaseMs` after the answer was read. */
export interface Route {
  merchantId: number;
  /** null: the merchant has no webhook. */
  url: string | null;
  version: string | null;
  encryption: EncryptionProfile;
  /** Webhook key sealed under the key-encryption key; AAD = `webhook-key:{merchantId}:{keyId}`; null without url. */
  sealedKey: string | null;
  keyId: string | null;
  emails: string[];
  msisdns: string[];
  leaseMs: number;
}
