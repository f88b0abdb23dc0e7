import type { EntityManager } from 'typeorm';
import type { ChangeKind } from './notifications/domain/configuration-change';

export type AuditKind =
  ChangeKind | 'MERCHANT_SAVED' | 'ENCRYPTION_CHANGED' | 'KEY_RESEALED' | 'TEST_SENT' | 'CELL_SAVED' | 'PARTITION_MOVED';

/** The caller of a change, and the request that made it. */
export interface Origin {
  /** Username, or `operator`. */
  actor: string;
  /** Whether `actor` is the name of a person. */
  isPerson?: boolean;
  requestId: string;
}

/** An event of a merchant's configuration, or of the map of cells. It never has a key; recipients are masked. */
export interface AuditEvent {
  kind: AuditKind;
  detail?: Record<string, string>;
}

/** All events of a change in one statement. */
const insertAuditEventsSql = `
  insert into audit_event (merchant_id, kind, actor, request_id, detail)
  select $1, kind, $2, $3, detail::jsonb from unnest($4::text[], $5::text[]) as event (kind, detail)`;

/** `merchantId` null: of no merchant. Writes events in the caller's transaction: a change and its audit events are stored together or not at all (T-15). */
export async function insertAuditEvents(
  manager: EntityManager,
  { merchantId, origin }: { merchantId: number | null; origin: Origin },
  events: readonly AuditEvent[],
): Promise<void> {
  if (events.length === 0) return;
  await manager.query(insertAuditEventsSql, [
    merchantId,
    origin.actor,
    origin.requestId,
    events.map(({ kind }) => kind),
    events.map(({ detail }) => JSON.stringify(detail ?? {})),
  ]);
}
