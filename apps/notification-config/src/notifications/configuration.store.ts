import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertAuditEvents, type Origin } from '../audit';
import { HttpNotificationEntity, RecipientEntity } from '../entities';
import type { ConfigurationChange } from './domain/configuration-change';
import type { NotificationConfiguration } from './domain/notification-configuration';
import type { Recipient } from './domain/recipient';

/** The merchants that a caller may manage: those of a PSP, those of an acquirer, or all (operator). */
export type Owner = { pspId: number } | { acquirer: string } | 'OPERATOR';

export interface Target {
  merchantId: number;
  owner: Owner;
}

export interface ChangedConfiguration {
  before: NotificationConfiguration;
  after: NotificationConfiguration;
}

/** Longer than any lease plus any wait for a commit. */
const freshFor = "interval '60 seconds'";

// Recipients that somebody adds within a minute make one notice, to those who were there before the first of them.
const noticeDueAt = "clock_timestamp() + case $2::text when 'RECIPIENT_ADDED' then interval '60 seconds' else interval '0' end";
const isNewNotice = (table: string) => `not ($2::text = 'RECIPIENT_ADDED' and exists (
  select from ${table} where merchant_id = $1 and kind = $2::text and actor = $3::text
     and occurred_at > clock_timestamp() - interval '60 seconds'))`;

const configurationSql = {
  // Serialises changes of one merchant. It locks first and reads afterwards, because a statement that waits for the lock would read the
  // other tables as they were before the wait.
  lock: 'select 1 from merchant where merchant_id = $1 for update',

  // One snapshot of three tables. The query does not find a merchant of another owner (T-24).
  read: `
    select merchant.merchant_id, merchant.status, http.url, http.version, http.key_id, http.sealed_key,
           http.sealed_credential, http.has_client_certificate, http.changed_at > clock_timestamp() - ${freshFor} as is_http_fresh,
           coalesce((select jsonb_agg(jsonb_build_object('type', type, 'value', value) order by position)
                     from recipient where recipient.merchant_id = merchant.merchant_id), '[]') as recipients
    from merchant left join http_notification http using (merchant_id)
    where merchant.merchant_id = $1 and ($2 or merchant.psp_id = $3 or merchant.acquirer = $4)`,

  addNotice: `
    insert into change_notice (merchant_id, kind, emails, actor, due_at)
    select $1, $2::text, array_agg(value order by position), $3::text, ${noticeDueAt} from recipient
     where merchant_id = $1 and type = 'EMAIL' and ${isNewNotice('change_notice')}
    having count(*) > 0`,

  addOwnerNotice: `
    insert into owner_notice (merchant_id, kind, actor, due_at)
    select $1, $2::text, $3::text, ${noticeDueAt} where ${isNewNotice('owner_notice')}`,
} as const;

interface ConfigurationRow {
  merchant_id: string;
  status: NotificationConfiguration['status'];
  url: string | null;
  version: string;
  key_id: string;
  sealed_key: string;
  sealed_credential: string | null;
  has_client_certificate: boolean;
  is_http_fresh: boolean | null;
  recipients: Recipient[];
}

/** URL, key and recipients of a merchant, and what changes with them in one transaction. */
@Injectable()
export class ConfigurationStore {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /** undefined: there is no such merchant, or the caller may not manage it; ownership is part of the query (T-24). */
  find(target: Target): Promise<NotificationConfiguration | undefined> {
    return read(this.dataSource.manager, target);
  }

  /**
   * Locks the merchant's row, and applies the change that `plan` makes from the current configuration, with its audit events and
   * notice, in one transaction. An error of `plan` rolls everything back. undefined: as for `find`.
   */
  async change(
    request: Target & { origin: Origin },
    plan: (current: NotificationConfiguration) => ConfigurationChange,
  ): Promise<ChangedConfiguration | undefined> {
    return this.dataSource.transaction(async manager => {
      await manager.query(configurationSql.lock, [request.merchantId]);
      const before = await read(manager, request);
      if (!before) return undefined;
      const change = plan(before);
      await apply(manager, request, change);
      return { before, after: (await read(manager, request))! };
    });
  }
}

async function read(manager: EntityManager, { merchantId, owner }: Target): Promise<NotificationConfiguration | undefined> {
  const [row] = await manager.query<ConfigurationRow[]>(configurationSql.read, [merchantId, ...ownerParameters(owner)]);
  return row && configurationOf(row);
}

function ownerParameters(owner: Owner): [isOperator: boolean, pspId: number | null, acquirer: string | null] {
  if (owner === 'OPERATOR') return [true, null, null];
  return 'pspId' in owner ? [false, owner.pspId, null] : [false, null, owner.acquirer];
}

function configurationOf(row: ConfigurationRow): NotificationConfiguration {
  const { url, version, key_id: keyId, sealed_key: sealedKey } = row;
  const access = { sealedCredential: row.sealed_credential, hasClientCertificate: row.has_client_certificate };
  return {
    merchantId: Number(row.merchant_id),
    status: row.status,
    http: url === null ? null : { url, version, keyId, sealedKey, ...access },
    isHttpFresh: row.is_http_fresh ?? false,
    recipients: row.recipients,
  };
}

type ChangeRequest = Target & { origin: Origin };

async function apply(manager: EntityManager, request: ChangeRequest, change: ConfigurationChange): Promise<void> {
  const { merchantId } = request;
  // Stores the notice before the change, so that a removed recipient gets the notice of the removal too.
  if (change.notice) await storeNotice(manager, request, change.notice);
  if (change.http === null) await manager.delete(HttpNotificationEntity, { merchantId });
  if (change.http) await storeHttp(manager, merchantId, change.http);
  if (change.added) await manager.insert(RecipientEntity, { merchantId, ...change.added });
  if (change.removed) await manager.delete(RecipientEntity, { merchantId, ...change.removed });
  await insertAuditEvents(manager, request, change.events);
}

const storedFields = [
  'url',
  'version',
  'key_id',
  'sealed_key',
  'sealed_credential',
  'has_client_certificate',
  'opened_at',
  'changed_at',
];

async function storeHttp(
  manager: EntityManager,
  merchantId: number,
  http: NonNullable<ConfigurationChange['http']>,
): Promise<void> {
  await manager
    .createQueryBuilder()
    .insert()
    .into(HttpNotificationEntity)
    // Another URL or key has opened nothing yet.
    .values({ merchantId, ...http, openedAt: null, changedAt: () => 'clock_timestamp()' })
    .orUpdate(storedFields, ['merchant_id'])
    .execute();
}

/**
 * One to the e-mail recipients, if there are any, and one to the owners. Recipients may be strangers, so they read no name that a person of the
 * portal chose (T-25).
 */
async function storeNotice(manager: EntityManager, { merchantId, origin }: ChangeRequest, kind: string): Promise<void> {
  await manager.query(configurationSql.addNotice, [merchantId, kind, origin.isPerson ? 'somebody in the portal' : origin.actor]);
  await manager.query(configurationSql.addOwnerNotice, [merchantId, kind, origin.actor]);
}
