import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Columns } from './files/domain/csv';
import type { Person } from './people/domain/person';

/** Where a request came from. */
export interface Origin {
  address: string;
  userAgent: string;
  requestId: string;
  /** The secret of the cookie that tells known browsers from new ones; it is not recorded. */
  device?: string | undefined;
}

export interface AuditEvent {
  /** null: nobody is signed in, or a program acts. */
  personId: string | null;
  personName: string;
  action:
    | 'SIGNED_IN'
    | 'SIGN_IN_FAILED'
    | 'SIGNED_OUT'
    | 'SESSION_ENDED'
    | 'PASSWORD_CHANGED'
    | 'TOTP_ENROLLED'
    | 'TOTP_REMOVED'
    | 'IDENTITY_PROVIDER_SET'
    | 'IDENTITY_PROVIDER_REMOVED'
    | 'IDENTITY_LINKED'
    | 'PASSKEY_ADDED'
    | 'PASSKEY_REMOVED'
    | 'RECOVERY_CODE_USED'
    | 'CODES_ALLOWED'
    | 'PERSON_INVITED'
    | 'INVITATION_ACCEPTED'
    | 'PASSWORD_RESET_ASKED'
    | 'PASSWORD_RESET'
    | 'ROLE_CHANGED'
    | 'PERSON_REMOVED'
    | 'OWNER_RECOVERY_ASKED'
    | 'OWNER_RECOVERY_CONFIRMED'
    | 'OWNER_RECOVERY_WITHDRAWN'
    | 'OWNER_RECOVERY_REFUSED'
    | 'URL_SET'
    | 'URL_REMOVED'
    | 'URL_CHECKED'
    | 'TEST_SENT'
    | 'KEY_RENEWED'
    | 'RECIPIENT_ADDED'
    | 'RECIPIENT_REMOVED'
    | 'API_PASSWORD_RENEWED'
    | 'API_PUBLIC_KEY_SET'
    | 'API_CHALLENGE_RULE_CHANGED'
    | 'API_SOURCES_CHANGED'
    | 'API_BEARER_ENABLED'
    | 'API_SESSION_ENDED'
    | 'FOUR_EYES_ASKED'
    | 'FOUR_EYES_CONFIRMED'
    | 'FOUR_EYES_WITHDRAWN'
    | 'FOUR_EYES_REFUSED'
    | 'SANDBOX_CODE_MADE'
    | 'SANDBOX_CODE_PAID'
    | 'SANDBOX_PAYMENT_FOLLOWED'
    | 'SANDBOX_NOTICE_REPEATED'
    | 'ON_CALL_SEARCHED'
    | 'DELIVERIES_PAUSED'
    | 'DELIVERIES_RESUMED'
    | 'NOTICE_REDELIVERED'
    | 'DEAD_LETTER_REDRIVEN'
    | 'PAYMENTS_EXPORTED'
    | 'RECORD_EXPORTED'
    | 'NOTIFICATION_SHOWN'
    | 'NOTIFICATION_FETCHED';
  merchantId?: number;
  /** Whose people read it; by default the tenant of the person. */
  tenant?: Pick<Person, 'tenantType' | 'tenantId'>;
  origin: Origin;
  /** No secrets, no personal data of payers. */
  detail?: Record<string, string>;
}

/** Statements of the audit log. */
const auditEventSql = {
  insert: `
    insert into audit_event (person_id, person_name, action, merchant_id, address, request_id, detail, tenant_type, tenant_id)
    select $1::uuid, $2, $3, $4, $5, $6, $7::jsonb, coalesce($8, p.tenant_type), coalesce($9, p.tenant_id)
      from (select $1::uuid as person_id) by_whom left join person p using (person_id)`,
  ofTenant: `
    select audit_event_id as "auditEventId", at, person_name as "personName", action, merchant_id as "merchantId", address, detail
      from audit_event
     where tenant_type = $1 and tenant_id = $2 and ($3::bigint is null or audit_event_id < $3) and ($4::text is null or action = $4)
     order by audit_event_id desc limit $5`,
} as const;

/** As the owners of the account read it. `at`: ISO 8601 UTC. */
export interface RecordedAction {
  auditEventId: string;
  at: string;
  personName: string;
  action: string;
  merchantId: string | null;
  address: string;
  detail: Record<string, string>;
}

/** A person who acts, and where its request came from. */
export interface ByPerson {
  person: Person;
  origin: Origin;
}

/** The part of an event that says who acted. */
export function doneBy({ person, origin }: ByPerson): Pick<AuditEvent, 'personId' | 'personName' | 'origin'> {
  return { personId: person.personId, personName: person.name, origin };
}

/** The audit log records each action of a person with the person's name. Append-only. */
@Injectable()
export class AuditLog {
  constructor(private readonly dataSource: DataSource) {}

  /** Durable when it resolves. */
  async record({ personId, personName, action, merchantId, tenant, origin, detail }: AuditEvent): Promise<void> {
    const { address, requestId } = origin;
    await this.dataSource.query(auditEventSql.insert, [
      personId,
      personName,
      action,
      merchantId ?? null,
      address,
      requestId,
      detail ?? {},
      tenant?.tenantType ?? null,
      tenant?.tenantId ?? null,
    ]);
  }

  /** The latest first. `before`: the id of the last row of the page before. */
  async ofTenant(
    { tenantType, tenantId }: Pick<Person, 'tenantType' | 'tenantId'>,
    { before, action, limit }: { before?: string | undefined; action?: string | undefined; limit: number },
  ): Promise<RecordedAction[]> {
    const values = [tenantType, tenantId, before ?? null, action ?? null, limit];
    const rows = await this.dataSource.query<(Omit<RecordedAction, 'at'> & { at: Date })[]>(auditEventSql.ofTenant, values);
    return rows.map(row => ({ ...row, at: row.at.toISOString() }));
  }
}

/** An action in a file. Names are what people chose, so a spreadsheet is to take them for texts. */
export const actionColumns: Columns<RecordedAction> = [
  ['at', 'instant', ({ at }) => at],
  ['person', 'text', ({ personName }) => personName],
  ['action', 'word', ({ action }) => action],
  ['merchantId', 'text', ({ merchantId }) => merchantId],
  ['address', 'text', ({ address }) => address],
  ['detail', 'text', ({ detail }) => detailOf(detail)],
];

function detailOf(detail: Record<string, string>): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');
}
