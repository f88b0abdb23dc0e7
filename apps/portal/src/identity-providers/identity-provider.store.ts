import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { IdentityProvider } from './domain/identity-provider';

export interface SealedProvider extends IdentityProvider {
  clientSecretSealed: string;
}

const columns = `provider_id as "providerId", company, tenant_type as "tenantType", tenant_id as "tenantId", issuer, client_id as "clientId"`;
const sealed = `${columns}, client_secret_sealed as "clientSecretSealed"`;

const identityProviderSql = {
  dropOfTenant: `delete from identity_provider where tenant_type = $1 and tenant_id = $2`,
  insert: `
    insert into identity_provider (tenant_type, tenant_id, company, issuer, client_id, client_secret_sealed)
    values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning provider_id`,
  byCompany: `select ${sealed} from identity_provider where company = $1`,
  byId: `select ${sealed} from identity_provider where provider_id = $1`,
  list: `select ${columns} from identity_provider order by company limit 1000`,
  remove: `delete from identity_provider where company = $1`,
  personOf: `select person_id from person_identity where provider_id = $1 and subject = $2`,
  // The person is let in with its first sign-in.
  link: `
    with linked as (
      insert into person_identity (provider_id, subject, person_id) values ($1, $2, $3) on conflict do nothing returning person_id),
    let_in as (
      update person set accepted_at = coalesce(accepted_at, clock_timestamp()) where person_id in (select person_id from linked))
    select person_id from linked`,
} as const;

/** Undoes the transaction: the tenant's provider of before stays. */
class CompanyTaken extends Error {}

@Injectable()
export class ProviderStore {
  constructor(private readonly dataSource: DataSource) {}

  /** In place of the tenant's one, whose subjects are forgotten with it. false: another tenant has this company name. */
  async set(provider: Omit<SealedProvider, 'providerId'>): Promise<boolean> {
    const { tenantType, tenantId, company, issuer, clientId, clientSecretSealed } = provider;
    try {
      await this.dataSource.transaction(async manager => {
        await manager.query(identityProviderSql.dropOfTenant, [tenantType, tenantId]);
        const values = [tenantType, tenantId, company, issuer, clientId, clientSecretSealed];
        if ((await manager.query<unknown[]>(identityProviderSql.insert, values)).length === 0) throw new CompanyTaken();
      });
      return true;
    } catch (error) {
      if (error instanceof CompanyTaken) return false;
      throw error;
    }
  }

  async byCompany(company: string): Promise<SealedProvider | undefined> {
    return (await this.dataSource.query<SealedProvider[]>(identityProviderSql.byCompany, [company]))[0];
  }

  async byId(providerId: string): Promise<SealedProvider | undefined> {
    return (await this.dataSource.query<SealedProvider[]>(identityProviderSql.byId, [providerId]))[0];
  }

  list(): Promise<IdentityProvider[]> {
    return this.dataSource.query(identityProviderSql.list);
  }

  /** false: there is none. */
  async remove(company: string): Promise<boolean> {
    const [, removed] = await this.dataSource.query<[unknown[], number]>(identityProviderSql.remove, [company]);
    return removed === 1;
  }

  /** Whose this subject is. */
  async personOf(providerId: string, subject: string): Promise<string | undefined> {
    const [row] = await this.dataSource.query<{ person_id: string }[]>(identityProviderSql.personOf, [providerId, subject]);
    return row?.person_id;
  }

  /** false: the subject is somebody else's, or the person has another subject. */
  async link(providerId: string, subject: string, personId: string): Promise<boolean> {
    return (await this.dataSource.query<unknown[]>(identityProviderSql.link, [providerId, subject, personId])).length === 1;
  }
}
