import type { EntityManager } from 'typeorm';
import type { AuditEvent, Origin } from '../audit-event';

/** Writes events in the caller's transaction: a change and its trace are stored together or not at all (T-15). */
export async function insertAuditEvents(
  manager: EntityManager,
  { merchantId, origin }: { merchantId: number; origin: Origin },
  events: readonly AuditEvent[],
): Promise<void> {
  if (events.length === 0) return;
  await manager.query(
    `insert into audit_event (merchant_id, kind, actor, request_id, detail)
     select $1, kind, $2, $3, detail::jsonb from unnest($4::text[], $5::text[]) as event (kind, detail)`,
    [
      merchantId,
      origin.actor,
      origin.requestId,
      events.map(({ kind }) => kind),
      events.map(({ detail }) => JSON.stringify(detail ?? {})),
    ],
  );
}
