import type { DataSource, EntityManager } from 'typeorm';
import { type ErasureOrigin, NotificationStore, type StoredNotification } from '../erasure.ports';
import { notificationSql, type NotificationSource } from './notification.sql';

interface Row {
  id: string;
  merchant: string;
  stored_at: Date;
  sealed: string;
  decided: boolean;
  related: string[] | null;
}

export class PostgresNotificationStore extends NotificationStore {
  private readonly sql: ReturnType<typeof notificationSql>;

  constructor(
    private readonly dataSource: DataSource,
    source: NotificationSource,
  ) {
    super();
    this.sql = notificationSql(source);
  }

  override find(transactionIds: readonly number[]): Promise<StoredNotification[]> {
    return this.read(this.dataSource.manager, transactionIds);
  }

  override async replace(
    transactionIds: readonly number[],
    origin: ErasureOrigin,
    replace: (stored: StoredNotification) => string | undefined,
  ): Promise<StoredNotification[]> {
    return this.dataSource.transaction(async tx => {
      await tx.query(this.sql.lock, [transactionIds]);
      const found = await this.read(tx, transactionIds);
      const texts = found.map(stored => ({ id: stored.transactionId, text: replace(stored) }));
      const replaced = texts.filter(({ text }) => text !== undefined);
      if (replaced.length > 0) await this.write(tx, replaced as { id: number; text: string }[], origin);
      return found;
    });
  }

  override async page(afterId: number, limit: number): Promise<{ transactionId: number; sealed: string }[]> {
    const rows = await this.dataSource.query<Pick<Row, 'id' | 'sealed'>[]>(this.sql.page, [afterId, limit]);
    return rows.map(row => ({ transactionId: Number(row.id), sealed: row.sealed }));
  }

  private async read(manager: EntityManager, transactionIds: readonly number[]): Promise<StoredNotification[]> {
    const rows = await manager.query<Row[]>(this.sql.find, [transactionIds]);
    return rows.map(row => ({
      transactionId: Number(row.id),
      merchantId: Number(row.merchant),
      storedAt: row.stored_at,
      sealed: row.sealed,
      isDecided: row.decided,
      relatedIds: (row.related ?? []).map(Number),
    }));
  }

  private async write(tx: EntityManager, texts: readonly { id: number; text: string }[], origin: ErasureOrigin): Promise<void> {
    const ids = texts.map(({ id }) => id);
    await tx.query(this.sql.replace, [ids, texts.map(({ text }) => text)]);
    await tx.query(this.sql.record, [ids, origin.actor, origin.requestId]);
  }
}
