import type { ChangeNotice } from '@paycode/dto';

export interface DueNotice extends ChangeNotice {
  /** Hand-overs tried so far, this one included. */
  tries: number;
}

export abstract class ChangeNoticeStore {
  /** Notices to hand over now; each is kept from other replicas until `retryAfterMs` have passed. */
  abstract claim(limit: number, retryAfterMs: number): Promise<DueNotice[]>;
  abstract remove(noticeIds: readonly string[]): Promise<void>;
}

/** Sends notices to recipient-messages, which mails them. */
export abstract class ChangeNoticeMailer {
  /** Resolves once the notices are stored there. */
  abstract handOver(notices: readonly ChangeNotice[]): Promise<void>;
}
