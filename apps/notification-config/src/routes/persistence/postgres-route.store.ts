import { Inject, Injectable } from '@nestjs/common';
import type { EncryptionProfile } from '@paycode/dto';
import { DataSource } from 'typeorm';
import { RouteStore, type StoredRoute } from '../routes.ports';

interface RouteRow {
  merchant_id: string;
  url: string | null;
  version: string | null;
  encryption: EncryptionProfile | null;
  sealed_key: string | null;
  key_id: string | null;
  emails: string[] | null;
  msisdns: string[] | null;
  psp_id: string | null;
}

/** One snapshot for the whole batch; it must be taken on the primary, where a committed change is visible at once (route lease). */
const routesSql = `
  select asked.merchant_id, http.url, http.version, merchant.encryption, http.sealed_key, http.key_id, merchant.psp_id,
         recipients.emails, recipients.msisdns
  from unnest($1::bigint[]) as asked (merchant_id)
  left join merchant using (merchant_id)
  left join http_notification http using (merchant_id)
  left join lateral (
    select array_agg(value order by position) filter (where type = 'EMAIL') as emails,
           array_agg(value order by position) filter (where type = 'SMS') as msisdns
    from recipient where recipient.merchant_id = asked.merchant_id
  ) recipients on true`;

@Injectable()
export class PostgresRouteStore extends RouteStore {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {
    super();
  }

  override async routesOf(merchantIds: readonly number[]): Promise<StoredRoute[]> {
    const rows = await this.dataSource.query<RouteRow[]>(routesSql, [merchantIds]);
    return rows.map(row => ({
      merchantId: Number(row.merchant_id),
      url: row.url,
      version: row.version,
      encryption: row.encryption ?? 'AES-128-GCM',
      sealedKey: row.sealed_key,
      keyId: row.key_id,
      emails: row.emails ?? [],
      msisdns: row.msisdns ?? [],
      pspId: row.psp_id === null ? null : Number(row.psp_id),
    }));
  }
}
