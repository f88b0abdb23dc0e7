import { randomBytes } from 'node:crypto';
import type { OperatorClient } from './operator.client';
import { DemoDataError } from './seed-demo-data';

/** A person of the portal, as `POST portal /internal/people` takes it. */
export interface DemoPerson {
  email: string;
  name: string;
  tenantType: 'MERCHANT' | 'PSP' | 'ACQUIRER' | 'OPERATOR';
  tenantId: string;
  role: string;
}

export interface PersonWithPassword extends DemoPerson {
  password: string;
}

/** Two tenants of each kind that are not to see each other, one who may only look, and both kinds of operators. */
export const demoPeople: DemoPerson[] = [
  { email: 'owner@corner-coffee.example', name: 'Thandi Nkosi', tenantType: 'MERCHANT', tenantId: '1001', role: 'OWNER' },
  { email: 'viewer@corner-coffee.example', name: 'Sam Botha', tenantType: 'MERCHANT', tenantId: '1001', role: 'VIEWER' },
  { email: 'owner@mountain-bikes.example', name: 'Lerato Mokoena', tenantType: 'MERCHANT', tenantId: '2001', role: 'OWNER' },
  { email: 'developer@psp-1.example', name: 'Pieter van Wyk', tenantType: 'PSP', tenantId: '1', role: 'DEVELOPER' },
  { email: 'developer@psp-2.example', name: 'Aisha Patel', tenantType: 'PSP', tenantId: '2', role: 'DEVELOPER' },
  { email: 'owner@demo-bank.example', name: 'Johan Smit', tenantType: 'ACQUIRER', tenantId: 'Demo Bank', role: 'OWNER' },
  { email: 'on-call@paycode.example', name: 'Nomsa Dlamini', tenantType: 'OPERATOR', tenantId: '', role: 'ON_CALL' },
  { email: 'admin@paycode.example', name: 'Anna Becker', tenantType: 'OPERATOR', tenantId: '', role: 'ADMINISTRATOR' },
];

/** The demo people of the portal. They get passwords before the portal runs, and become known to it when it first does. */
export class DemoPeople {
  readonly all: readonly PersonWithPassword[];
  /** Whose password the portal cannot know yet. */
  private readonly withNewPassword: Set<string>;

  /** `known`: people of an earlier start, with the passwords given then. */
  constructor(known: readonly PersonWithPassword[]) {
    const before = new Map(known.map(person => [person.email, person]));
    this.withNewPassword = new Set(demoPeople.map(({ email }) => email).filter(email => !before.has(email)));
    this.all = demoPeople.map(
      person => before.get(person.email) ?? { ...person, password: randomBytes(12).toString('base64url') },
    );
  }

  /** Makes the people who are missing. Those who exist keep the password that they chose, unless the one of an earlier start is lost. */
  async ensure(operator: OperatorClient, portalUrl: string): Promise<void> {
    // One after the other: each new password costs the portal 19 MiB while it is hashed.
    for (const person of this.all) {
      if (!this.withNewPassword.has(person.email) && (await this.exists(person, { operator, portalUrl }))) continue;
      const { status } = await operator.send({ method: 'POST', url: `${portalUrl}/internal/people`, body: person });
      if (status !== 201) throw new DemoDataError(`${person.email} could not be made a person of the portal: status ${status}`);
      this.withNewPassword.delete(person.email);
    }
  }

  private async exists(person: DemoPerson, at: { operator: OperatorClient; portalUrl: string }): Promise<boolean> {
    const tenant = new URLSearchParams({ tenantType: person.tenantType, tenantId: person.tenantId });
    const { status, body } = await at.operator.send({
      method: 'GET',
      url: `${at.portalUrl}/internal/people?${tenant.toString()}`,
    });
    if (status !== 200) throw new DemoDataError(`the people of the portal could not be read: status ${status}`);
    return (body as DemoPerson[]).some(({ email }) => email === person.email);
  }
}
