/** POST recipient-messages /internal/recipient-messages/notices. At most 100 items; idempotent by noticeId. Answer: 204 once they are stored. */
export interface ChangeNotice {
  /** UUID. */
  noticeId: string;
  merchantId: number;
  kind: ChangeNoticeKind;
  /** Recipients of the notice. */
  emails: string[];
  /** Author of the change: a username, or `operator`. */
  actor: string;
  /** ISO 8601 UTC. */
  occurredAt: string;
}

/** Changes of a merchant's notifications that its EMAIL recipients and the owners of merchant and PSP are told of (T-15). */
export const changeNoticeKinds = [
  'URL_CHANGED',
  'KEY_CHANGED',
  'CREDENTIAL_CHANGED',
  'URL_REMOVED',
  'RECIPIENT_ADDED',
  'RECIPIENT_REMOVED',
] as const;

export type ChangeNoticeKind = (typeof changeNoticeKinds)[number];
