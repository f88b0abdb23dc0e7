import { Injectable } from '@nestjs/common';
import { noRecipients, type Recipients, type Route } from '@paycode/dto';
import { DataSource } from 'typeorm';
import { RouteLease } from './route-lease';

/** One snapshot for the whole batch. It must run on the primary, where a committed change is visible at once (route lease). */
const routesSql = `
  select asked.merchant_id::float8 as "merchantId", http.url, http.version, coalesce(merchant.encryption, 'AES-128-GCM') as encryption,
         http.sealed_key as "sealedKey", http.key_id as "keyId", merchant.psp_id::float8 as "pspId",
         http.sealed_credential as "sealedCredential", coalesce(http.has_client_certificate, false) as "hasClientCertificate",
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

/** Recipients are null when there are none, and lack the channels without any. */
type RouteRow = Omit<Route, 'leaseMs' | 'recipients'> & { recipients: Partial<Recipients> | null };

/** Flow: merchant ids -> one query -> routes, each usable for the lease. */
@Injectable()
export class RoutesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lease: RouteLease,
  ) {}

  /** One route for every merchant asked for; an unknown merchant has neither URL nor recipients. */
  async read(merchantIds: readonly number[]): Promise<Route[]> {
    if (merchantIds.length === 0) return [];
    const rows = await this.dataSource.query<RouteRow[]>(routesSql, [[...new Set(merchantIds)]]);
    const { leaseMs } = this.lease;
    return rows.map(row => ({ ...row, recipients: { ...noRecipients, ...row.recipients }, leaseMs }));
  }
}
