import { Inject, Injectable } from '@nestjs/common';
import { type EncryptionProfile, noRecipients, type Recipients } from '@paycode/dto';
import { DataSource } from 'typeorm';
import { RouteStore, type StoredRoute } from '../routes.ports';
import { routesSql } from './route.sql';

interface RouteRow {
  merchant_id: string;
  url: string | null;
  version: string | null;
  encryption: EncryptionProfile | null;
  sealed_key: string | null;
  key_id: string | null;
  /** null: there are none. Channels without any are absent. */
  recipients: Partial<Recipients> | null;
  psp_id: string | null;
}

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
      recipients: { ...noRecipients, ...row.recipients },
      pspId: row.psp_id === null ? null : Number(row.psp_id),
    }));
  }
}
