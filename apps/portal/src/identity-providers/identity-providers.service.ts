import { Inject, Injectable } from '@nestjs/common';
import { type KeyRing, PayloadSealer } from '@paycode/crypto';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { type AuditEvent, AuditLog, type Origin } from '../audit';
import { tenantName } from '../people/domain/person';
import { PORTAL_RULES, type PortalRules } from '../sessions/portal.guard';
import { type IdentityProvider, issuerProblem } from './domain/identity-provider';
import { ProviderStore } from './identity-provider.store';
import type { ClientOf } from './open-id.client';

/** Secrets of our clients at providers, and what a browser keeps for us between two steps, sealed. */
export class ClientSecrets {
  private readonly sealer: PayloadSealer;

  constructor(keys: KeyRing) {
    this.sealer = new PayloadSealer(keys);
  }

  seal(text: string): string {
    return this.sealer.seal(text);
  }

  /** @throws SealedPayloadError */
  open(sealed: string): string {
    return this.sealer.openText(sealed);
  }
}

interface Operator {
  name: string;
  origin: Origin;
}

/** Flow: an operator names where a tenant's people sign in -> kept, its secret sealed -> on record. */
@Injectable()
export class IdentityProvidersService {
  constructor(
    private readonly providers: ProviderStore,
    private readonly secrets: ClientSecrets,
    private readonly audit: AuditLog,
    @Inject(PORTAL_RULES) private readonly rules: PortalRules,
  ) {}

  list(): Promise<IdentityProvider[]> {
    return this.providers.list();
  }

  /** @throws DomainError 400, 409 when another tenant has this company name */
  async set({ clientSecret, ...provider }: Omit<ClientOf, 'providerId'>, by: Operator): Promise<void> {
    const problem = issuerProblem(provider.issuer, this.rules.isProduction ? 'production' : 'sandbox');
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
