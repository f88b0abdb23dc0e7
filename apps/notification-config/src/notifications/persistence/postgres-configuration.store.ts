import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertAuditEvents, type Origin } from '../../audit';
import type { ConfigurationChange } from '../domain/configuration-change';
import type { NotificationConfiguration } from '../domain/notification-configuration';
import type { Recipient } from '../domain/recipient';
import { type ChangedConfiguration, ConfigurationStore, type Owner, type Target } from '../notifications.ports';
import { configurationSql as sql } from './configuration.sql';
import { HttpNotificationEntity } from './http-notification.entity';
import { RecipientEntity } from './recipient.entity';

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
      await manager.query(sql.lock, [request.merchantId]);
      const before = await read(manager, request);
      if (!before) return undefined;
      const change = plan(before);
      await apply(manager, request, change);
      return { before, after: (await read(manager, request))! };
    });
  }
}

async function read(manager: EntityManager, { merchantId, owner }: Target): Promise<NotificationConfiguration | undefined> {
  const [row] = await manager.query<ConfigurationRow[]>(sql.read, [merchantId, ...ownerParameters(owner)]);
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
  // Stores the notice before the change, so that a removed recipient gets the notice of the removal too.
  if (change.notice) await storeNotice(manager, request, change.notice);
  if (change.http === null) await manager.delete(HttpNotificationEntity, { merchantId });
  if (change.http) await storeHttp(manager, merchantId, change.http);
  if (change.added) await manager.insert(RecipientEntity, { merchantId, ...change.added });
  if (change.removed) await manager.delete(RecipientEntity, { merchantId, ...change.removed });
  await insertAuditEvents(manager, request, change.events);
}

async function storeHttp(
  manager: EntityManager,
  merchantId: number,
  { url, version, keyId, sealedKey }: NonNullable<ConfigurationChange['http']>,
): Promise<void> {
  await manager
    .createQueryBuilder()
    .insert()
    .into(HttpNotificationEntity)
    .values({ merchantId, url, version, keyId, sealedKey, changedAt: () => 'clock_timestamp()' })
    .orUpdate(['url', 'version', 'key_id', 'sealed_key', 'changed_at'], ['merchant_id'])
    .execute();
}

/** Stores a notice only when the merchant has e-mail recipients. */
async function storeNotice(manager: EntityManager, { merchantId, origin }: ChangeRequest, kind: string): Promise<void> {
  await manager.query(sql.addNotice, [merchantId, kind, origin.actor]);
}
