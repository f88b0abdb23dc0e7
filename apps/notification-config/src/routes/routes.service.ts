import { Inject, Injectable } from '@nestjs/common';
import { type EncryptionProfile, noRecipients, type Recipients, type Route } from '@paycode/dto';
import { DataSource } from 'typeorm';
import { RouteLease } from './route-lease';

type StoredRoute = Omit<Route, 'leaseMs'>;

/** One snapshot for the whole batch. It must run on the primary, where a committed change is visible at once (route lease). */
const routesSql = `
  select asked.merchant_id, http.url, http.version, merchant.encryption, http.sealed_key, http.key_id, merchant.psp_id,
         http.sealed_credential, http.has_client_certificate,
         recipients.by_channel as recipients
  from unnest($1::bigint[]) as asked (merchant_id)
  left join merchant using (merchant_id)
  left join http_notification http using (merchant_id)
  left join lateral (
    select json_object_agg(type, list) as by_channel from (
      select type, json_agg(value order by position) as list
      from recipient where recipient.merchant_id = asked.merchant_id group by type
    ) of_channel
  ) recipients on true`;

interface RouteRow {
  merchant_id: string;
  url: string | null;
  version: string | null;
  encryption: EncryptionProfile | null;
  sealed_key: string | null;
  key_id: string | null;
  sealed_credential: string | null;
  has_client_certificate: boolean | null;
  /** null: there are none. Channels without any are absent. */
  recipients: Partial<Recipients> | null;
  psp_id: string | null;
}

/** Routes of merchants, read in batches. */
@Injectable()
export class RouteStore {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /** One route for every merchant asked for; an unknown merchant has neither URL nor recipients. One query. */
  async routesOf(merchantIds: readonly number[]): Promise<StoredRoute[]> {
    const rows = await this.dataSource.query<RouteRow[]>(routesSql, [merchantIds]);
    return rows.map(row => ({
      merchantId: Number(row.merchant_id),
      url: row.url,
      version: row.version,
      encryption: row.encryption ?? 'AES-128-GCM',
      sealedKey: row.sealed_key,
      keyId: row.key_id,
      sealedCredential: row.sealed_credential,
      hasClientCertificate: row.has_client_certificate ?? false,
      recipients: { ...noRecipients, ...row.recipients },
      pspId: row.psp_id === null ? null : Number(row.psp_id),
    }));
  }
}

/** Flow: merchant ids -> one query -> routes, each usable for the lease. */
@Injectable()
export class RoutesService {
  constructor(
    private readonly store: RouteStore,
    private readonly lease: RouteLease,
  ) {}

  async read(merchantIds: readonly number[]): Promise<Route[]> {
    if (merchantIds.length === 0) return [];
    const routes = await this.store.routesOf([...new Set(merchantIds)]);
    return routes.map(route => ({ ...route, leaseMs: this.lease.leaseMs }));
  }
}
