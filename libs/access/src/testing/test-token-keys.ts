import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ActingPerson,
  type InvitedPerson,
  mailAssertionTypes,
  type MailDemand,
  personAssertionLifetimeS,
  personAssertionType,
  personAudience,
  personClaims,
  personHeader,
  personIssuer,
} from '../person/person-assertion';
import { ServiceTokenSigner } from '../service-token/service-token';
import {
  ensureTokenKeys,
  operatorName,
  type ServiceName,
  signingKeyOf,
  signOperatorToken,
  type TokenKeyFiles,
} from '../service-token/token-keys';

/** Token keys of a whole platform in a folder that is removed with the test run, for services under test and their callers. */
export class TestTokenKeys {
  readonly files: TokenKeyFiles;
  private readonly signers = new Map<ServiceName, ServiceTokenSigner>();

  /** `parent`: a folder that the caller removes; by default that of the test run. */
  constructor(parent = process.env['PAYCODE_TEST_FOLDER'] ?? tmpdir()) {
    this.files = ensureTokenKeys(mkdtempSync(join(parent, 'paycode-keys-')));
  }

  /** The variables of service tokens in the environment of the service. */
  env(service: ServiceName): Record<string, string> {
    return {
      SERVICE_TOKEN_PRIVATE_KEY_FILE: this.files.services[service],
      SERVICE_TOKEN_PUBLIC_KEYS_FILE: this.files.servicePublicKeys,
      OPERATOR_TOKEN_PUBLIC_KEYS_FILE: this.files.operatorPublicKeys,
      OPERATOR_TOKEN_REVOCATIONS_FILE: this.files.operatorRevocations,
    };
  }

  signer(caller: ServiceName): ServiceTokenSigner {
    const { services, servicePublicKeys } = this.files;
    const known = this.signers.get(caller);
    if (known) return known;
    const signer = new ServiceTokenSigner(caller, {
      privateKeyFile: services[caller],
      servicePublicKeysFile: servicePublicKeys,
    });
    this.signers.set(caller, signer);
    return signer;
  }

  /** Headers of a call by that service, or by the operator `test-operator`. */
  headers(caller: ServiceName | typeof operatorName, callee: ServiceName): { authorization: string } {
    const token = caller === operatorName ? this.operatorToken() : this.signer(caller).tokenFor(callee);
    return { authorization: `Bearer ${token}` };
  }

  /** Headers of a call by the portal for a person, as auth-session asserts it: an owner of merchant 1001 unless `of` says otherwise. */
  personHeaders(callee: ServiceName, of: Partial<ActingPerson> = {}): { authorization: string; [personHeader]: string } {
    return { ...this.headers('portal', callee), [personHeader]: this.personAssertion(of) };
  }

  personAssertion(of: Partial<ActingPerson> = {}): string {
    const person = { personId: randomUUID(), sessionId: randomUUID(), actor: 'Thandi <thandi@shop.example>', ...of };
    const claims = personClaims({ tenantType: 'MERCHANT', tenantId: '1001', role: 'OWNER', ...person });
    return this.assertion(claims, personAssertionType);
  }

  /** As auth-session asserts an invitation to merchant 1001, or an alert. */
  invitationAssertion(of: Partial<InvitedPerson> = {}, demand: MailDemand = 'INVITED'): string {
    const invited = { invitationId: randomUUID(), email: 'new@shop.example', tenantType: 'MERCHANT', tenantId: '1001' };
    return this.assertion(
      { ...invited, secret: 'x'.repeat(43), expiresAt: '2030-01-01T10:00:00.000Z', ...of },
      mailAssertionTypes[demand],
    );
  }

  private assertion(claims: object, type: string): string {
    return this.signer(personIssuer).sign(claims, { type, audience: personAudience, lifetimeS: personAssertionLifetimeS });
  }

  operatorToken({ subject = 'test-operator', lifetimeS = 600 }: { subject?: string; lifetimeS?: number } = {}): string {
    return signOperatorToken(signingKeyOf(operatorName, readFileSync(this.files.operator, 'utf8')), { subject, lifetimeS });
  }
}
