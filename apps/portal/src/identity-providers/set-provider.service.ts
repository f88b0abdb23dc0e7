import { Injectable } from '@nestjs/common';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { type AuditEvent, AuditLog, type Origin } from '../audit/audit.ports';
import { tenantName } from '../people/domain/person';
import { ClientSecrets } from './client-secrets';
import { type IdentityProvider, issuerProblem } from './domain/identity-provider';
import { type ClientOf, ProviderStore } from './identity-providers.ports';

export class ProviderRules {
  constructor(readonly environment: 'sandbox' | 'production') {}
}

interface Operator {
  name: string;
  origin: Origin;
}

/** Flow: an operator names where a tenant's people sign in -> kept, its secret sealed -> on record. */
@Injectable()
export class SetProviderService {
  constructor(
    private readonly providers: ProviderStore,
    private readonly secrets: ClientSecrets,
    private readonly rules: ProviderRules,
    private readonly audit: AuditLog,
  ) {}

  list(): Promise<IdentityProvider[]> {
    return this.providers.list();
  }

  /** @throws DomainError 400, 409 when another tenant has this company name */
  async set({ clientSecret, ...provider }: Omit<ClientOf, 'providerId'>, by: Operator): Promise<void> {
    const problem = issuerProblem(provider.issuer, this.rules.environment);
    if (problem) throw invalidField('issuer', problem);
    if ((provider.tenantType === 'OPERATOR') !== (provider.tenantId === ''))
      throw invalidField('tenantId', 'is empty for operators, and for nobody else');
    const isSet = await this.providers.set({ ...provider, clientSecretSealed: this.secrets.seal(clientSecret) });
    if (!isSet) throw new DomainError({ status: 409, reason: 'COMPANY_TAKEN', message: 'another tenant has this company name' });
    const detail = { company: provider.company, issuer: provider.issuer, tenant: tenantName(provider) };
    await this.record('IDENTITY_PROVIDER_SET', by, detail);
  }

  /** @throws DomainError 404 */
  async remove(company: string, by: Operator): Promise<void> {
    if (!(await this.providers.remove(company)))
      throw new DomainError({ status: 404, reason: 'NO_PROVIDER', message: 'there is no such company' });
    await this.record('IDENTITY_PROVIDER_REMOVED', by, { company });
  }

  private record(action: AuditEvent['action'], { name, origin }: Operator, detail: Record<string, string>): Promise<void> {
    return this.audit.record({ personId: null, personName: name, action, origin, detail });
  }
}
