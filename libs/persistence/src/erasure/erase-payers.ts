import {
  type ErasureItem,
  type ErasureState,
  isPayer,
  NotificationFormatError,
  parseNotification,
  payerFieldsOf,
  type PayerSearchPage,
  serializeNotification,
  type TransactionNotificationV3,
  withoutPayer,
} from '@paycode/dto';

/** A stored notification as erasure sees it. */
export interface StoredNotification {
  transactionId: number;
  merchantId: number;
  storedAt: Date;
  /** TransactionNotificationV3 JSON sealed as compact JWE. */
  sealed: string;
  isDecided: boolean;
  relatedIds: number[];
}

/** The person who asked for the erasure, for the audit record. */
export interface ErasureOrigin {
  actor: string;
  requestId: string;
}

/** The notifications that a service keeps. */
export abstract class NotificationStore {
  abstract find(transactionIds: readonly number[]): Promise<StoredNotification[]>;
  /**
   * Locks the rows, replaces those for which `replace` returns a text, and records who did it, in one commit. Returns the rows as they were
   * before.
   */
  abstract replace(
    transactionIds: readonly number[],
    origin: ErasureOrigin,
    replace: (stored: StoredNotification) => string | undefined,
  ): Promise<StoredNotification[]>;
  /** Rows with an id above `afterId`, in ascending order. */
  abstract page(afterId: number, limit: number): Promise<{ transactionId: number; sealed: string }[]>;
}

/** Seals and opens notifications under the platform data key. */
export abstract class NotificationSealer {
  abstract seal(json: string): string;
  /** @throws when no key opens it */
  abstract openText(sealed: string): string;
}

/** Rows that one search decrypts: a few milliseconds of the event loop, which also serves payments. */
const pageRows = 250;

/** Flow: transaction ids -> lock the stored notifications -> remove the payer and seal again -> record who asked. */
export class ErasePayers {
  constructor(
    private readonly store: NotificationStore,
    private readonly sealer: NotificationSealer,
  ) {}

  /** Returns the state of each, in the order of the ids; changes nothing. */
  async preview(transactionIds: readonly number[]): Promise<ErasureItem[]> {
    return itemsOf(
      transactionIds,
      (await this.store.find(transactionIds)).map(stored => this.itemOf(stored)),
    );
  }

  /** Erases only what is ERASABLE, and returns the state of each afterwards. Repeating the call changes nothing. */
  async erase(transactionIds: readonly number[], origin: ErasureOrigin): Promise<ErasureItem[]> {
    const items: ErasureItem[] = [];
    await this.store.replace(transactionIds, origin, stored => {
      const item = this.itemOf(stored);
      const json = item.state === 'ERASABLE' ? this.withoutPayer(stored.sealed) : undefined;
      items.push(json === undefined ? item : { ...item, state: 'ERASED', holds: [] });
      return json === undefined ? undefined : this.sealer.seal(json);
    });
    return itemsOf(transactionIds, items);
  }

  /** Searches one page of the notifications after `afterId` for this payer. A notification that no key opens counts as no match. */
  async search(payer: string, afterId: number): Promise<PayerSearchPage> {
    const rows = await this.store.page(afterId, pageRows);
    const found = rows.filter(({ sealed }) => {
      const notification = this.read(sealed);
      return notification !== undefined && isPayer(notification, payer);
    });
    return {
      transactionIds: found.map(({ transactionId }) => transactionId),
      looked: rows.length,
      nextAfterId: rows.length < pageRows ? null : rows.at(-1)!.transactionId,
    };
  }

  private itemOf({ transactionId, merchantId, storedAt, sealed, isDecided, relatedIds }: StoredNotification): ErasureItem {
    const notification = this.read(sealed);
    const holds = notification ? payerFieldsOf(notification) : [];
    const state = this.withoutPayer(sealed) === undefined ? 'UNREADABLE' : stateOf(holds, isDecided);
    return { transactionId, state, merchantId, storedAt: storedAt.toISOString(), holds, relatedIds };
  }

  /** undefined when it breaks the present rules, which may be stricter than those it was written by; the others of its batch continue (T-29). */
  private withoutPayer(sealed: string): string | undefined {
    const notification = this.read(sealed);
    try {
      return notification && serializeNotification(withoutPayer(notification));
    } catch (error) {
      if (error instanceof NotificationFormatError) return undefined;
      throw error;
    }
  }

  private read(sealed: string): TransactionNotificationV3 | undefined {
    try {
      return parseNotification(this.sealer.openText(sealed));
    } catch {
      // In every case nobody can read the payer's data here, and the answer says so.
      return undefined;
    }
  }
}

function stateOf(holds: readonly string[], isDecided: boolean): ErasureState {
  if (holds.length === 0) return 'ERASED';
  return isDecided ? 'ERASABLE' : 'UNDECIDED';
}

function itemsOf(transactionIds: readonly number[], found: readonly ErasureItem[]): ErasureItem[] {
  const byId = new Map(found.map(item => [item.transactionId, item]));
  const unknown = { state: 'UNKNOWN', merchantId: null, storedAt: null, holds: [], relatedIds: [] } as const;
  return transactionIds.map(transactionId => byId.get(transactionId) ?? { ...unknown, transactionId, holds: [], relatedIds: [] });
}
