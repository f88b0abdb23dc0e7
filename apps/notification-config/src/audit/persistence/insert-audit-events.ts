import type { EntityManager } from 'typeorm';
import type { AuditEvent, Origin } from '../audit-event';
import { insertAuditEventsSql } from './audit-event.sql';

/** Writes events in the caller's transaction: a change and its audit events are stored together or not at all (T-15). */
export async function insertAuditEvents(
  manager: EntityManager,
  { merchantId, origin }: { merchantId: number; origin: Origin },
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
