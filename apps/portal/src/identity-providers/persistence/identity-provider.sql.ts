const columns = `provider_id as "providerId", company, tenant_type as "tenantType", tenant_id as "tenantId", issuer, client_id as "clientId"`;
const sealed = `${columns}, client_secret_sealed as "clientSecretSealed"`;

export const identityProviderSql = {
  dropOfTenant: `delete from identity_provider where tenant_type = $1 and tenant_id = $2`,
  insert: `
    insert into identity_provider (tenant_type, tenant_id, company, issuer, client_id, client_secret_sealed)
    values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning provider_id`,
  byCompany: `select ${sealed} from identity_provider where company = $1`,
  byId: `select ${sealed} from identity_provider where provider_id = $1`,
  list: `select ${columns} from identity_provider order by company limit 1000`,
  remove: `delete from identity_provider where company = $1`,
  personOf: `select person_id from person_identity where provider_id = $1 and subject = $2`,
  link: `
    insert into person_identity (provider_id, subject, person_id) values ($1, $2, $3)
    on conflict do nothing returning person_id`,
} as const;
