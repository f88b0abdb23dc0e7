import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { IdentityProvider } from '../domain/identity-provider';
import { ProviderStore, type SealedProvider } from '../identity-providers.ports';
import { identityProviderSql as sql } from './identity-provider.sql';

/** Undoes the transaction: the tenant's provider of before stays. */
class CompanyTaken extends Error {}

@Injectable()
export class PostgresProviderStore extends ProviderStore {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async set(provider: Omit<SealedProvider, 'providerId'>): Promise<boolean> {
    const { tenantType, tenantId, company, issuer, clientId, clientSecretSealed } = provider;
    try {
      await this.dataSource.transaction(async manager => {
        await manager.query(sql.dropOfTenant, [tenantType, tenantId]);
        const values = [tenantType, tenantId, company, issuer, clientId, clientSecretSealed];
        if ((await manager.query<unknown[]>(sql.insert, values)).length === 0) throw new CompanyTaken();
      });
      return true;
    } catch (error) {
      if (error instanceof CompanyTaken) return false;
      throw error;
    }
  }

  override async byCompany(company: string): Promise<SealedProvider | undefined> {
    return (await this.dataSource.query<SealedProvider[]>(sql.byCompany, [company]))[0];
  }

  override async byId(providerId: string): Promise<SealedProvider | undefined> {
    return (await this.dataSource.query<SealedProvider[]>(sql.byId, [providerId]))[0];
  }

  override list(): Promise<IdentityProvider[]> {
    return this.dataSource.query(sql.list);
  }

  override async remove(company: string): Promise<boolean> {
    const [, removed] = await this.dataSource.query<[unknown[], number]>(sql.remove, [company]);
    return removed === 1;
  }

  override async personOf(providerId: string, subject: string): Promise<string | undefined> {
    const [row] = await this.dataSource.query<{ person_id: string }[]>(sql.personOf, [providerId, subject]);
    return row?.person_id;
  }

  override async link(providerId: string, subject: string, personId: string): Promise<boolean> {
    return (await this.dataSource.query<unknown[]>(sql.link, [providerId, subject, personId])).length === 1;
  }
}
