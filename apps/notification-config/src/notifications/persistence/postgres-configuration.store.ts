import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertAuditEvents, type Origin } from '../../audit';
import type { ConfigurationChange } from '../domain/configuration-change';
import type { NotificationConfiguration } from '../domain/notification-configuration';
import type { Recipient } from '../domain/recipient';
import { type ChangedConfiguration, ConfigurationStore, type Owner, type Target } from '../notifications.ports';

interface ConfigurationRow {
  merchant_id: string;
  status: NotificationConfiguration['status'];
  url: string | null;
  version: string;
  key_id: string;
  sealed_key: string;
  is_http_fresh: boolean | null;
  recipients: Recipient[];
}

/** Longer than any lease plus any wait for a commit. */
const freshFor = "interval '60 seconds'";

/** The foreign merchant is not found rather than found and refused (T-24). */
const configurationSql = `
  select merchant.merchant_id, merchant.status, http.url, http.version, http.key_id, http.sealed_key,
         http.changed_at > clock_timestamp() - ${freshFor} as is_http_fresh,
         coalesce((select jsonb_agg(jsonb_build_object('type', type, 'value', value) order by position)
                   from recipient where recipient.merchant_id = merchant.merchant_id), '[]') as recipients
  from merchant left join http_notification http using (merchant_id)
  where merchant.merchant_id = $1 and ($2 or merchant.psp_id = $3 or merchant.acquirer = $4)`;

@Injectable()
export class PostgresConfigurationStore extends ConfigurationStore {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {
    super();
  }

  override find(target: Target): Promise<NotificationConfiguration | undefined> {
    return read(this.dataSource.manager, target);
  }

  override async change(
    request: Target & { origin: Origin },
    plan: (current: NotificationConfiguration) => ConfigurationChange,
  ): Promise<ChangedConfiguration | undefined> {
    return this.dataSource.transaction(async manager => {
      // Locked first and read afterwards: a statement that waits for the lock would join the other tables as they were before the wait.
      await manager.query('select 1 from merchant where merchant_id = $1 for update', [request.merchantId]);
      const before = await read(manager, request);
      if (!before) return undefined;
      const change = plan(before);
      await apply(manager, request, change);
      return { before, after: (await read(manager, request))! };
    });
  }
}

async function read(manager: EntityManager, { merchantId, owner }: Target): Promise<NotificationConfiguration | undefined> {
  const [row] = await manager.query<ConfigurationRow[]>(configurationSql, [merchantId, ...ownerParameters(owner)]);
  return row && configurationOf(row);
}

function ownerParameters(owner: Owner): [isOperator: boolean, pspId: number | null, acquirer: string | null] {
  if (owner === 'OPERATOR') return [true, null, null];
  return 'pspId' in owner ? [false, owner.pspId, null] : [false, null, owner.acquirer];
}

function configurationOf(row: ConfigurationRow): NotificationConfiguration {
  const { url, version, key_id: keyId, sealed_key: sealedKey } = row;
  return {
    merchantId: Number(row.merchant_id),
    status: row.status,
    http: url === null ? null : { url, version, keyId, sealedKey },
    isHttpFresh: row.is_http_fresh ?? false,
    recipients: row.recipients,
  };
}

type ChangeRequest = Target & { origin: Origin };

async function apply(manager: EntityManager, request: ChangeRequest, change: ConfigurationChange): Promise<void> {
  const { merchantId } = request;
  // Told before the change is made: of a removal, those hear who were recipients until now.
  if (change.notice) await storeNotice(manager, request, change.notice);
  if (change.http === null) await manager.query('delete from http_notification where merchant_id = $1', [merchantId]);
  if (change.http) await storeHttp(manager, merchantId, change.http);
  if (change.added) {
    const { type, value } = change.added;
    await manager.query('insert into recipient (merchant_id, type, value) values ($1, $2, $3)', [merchantId, type, value]);
  }
  if (change.removed) {
    const { type, value } = change.removed;
    await manager.query('delete from recipient where merchant_id = $1 and type = $2 and value = $3', [merchantId, type, value]);
  }
  await insertAuditEvents(manager, request, change.events);
}

async function storeHttp(
  manager: EntityManager,
  merchantId: number,
  http: NonNullable<ConfigurationChange['http']>,
): Promise<void> {
  await manager.query(
    `insert into http_notification (merchant_id, url, version, key_id, sealed_key) values ($1, $2, $3, $4, $5)
     on conflict (merchant_id) do update set url = excluded.url, version = excluded.version, key_id = excluded.key_id,
       sealed_key = excluded.sealed_key, changed_at = clock_timestamp()`,
    [merchantId, http.url, http.version, http.keyId, http.sealedKey],
  );
}

/** Only when somebody is there to be told. */
async function storeNotice(manager: EntityManager, { merchantId, origin }: ChangeRequest, kind: string): Promise<void> {
  await manager.query(
    `insert into change_notice (merchant_id, kind, emails, actor)
     select $1, $2, array_agg(value order by position), $3 from recipient where merchant_id = $1 and type = 'EMAIL'
     having count(*) > 0`,
    [merchantId, kind, origin.actor],
  );
}
