import { randomUUID } from 'node:crypto';
import { Passwords } from '../people/secrets';
import { ownOrigin, PortalVisitor } from './portal-visitor';
import type { RunningPortal } from './running-portal';
import { SoftPasskey } from './soft-passkey';

export const password = 'a long enough sentence';
export const dayMs = 86_400_000;

export interface ProductionPerson {
  name: string;
  personId: string;
  visitor: PortalVisitor;
}

export interface PersonToMake {
  tenantType: string;
  tenantId: string;
  role: string;
  /** How long ago the person was let in. Default: two days. */
  ageMs?: number;
}

let hash: Promise<string> | undefined;

/** Somebody who is signed in with password and passkey, as production wants it. */
export async function productionPerson(portal: RunningPortal, name: string, of: PersonToMake): Promise<ProductionPerson> {
  const email = `${randomUUID()}@shop.example`;
  hash ??= new Passwords().hash(password);
  const [row] = await portal.database.dataSource.query<{ person_id: string }[]>(
    `insert into person (email, name, tenant_type, tenant_id, role, password_hash, accepted_at)
     values ($1, $2, $3, $4, $5, $6, clock_timestamp() - $7 * interval '1 millisecond') returning person_id`,
    [email, name, of.tenantType, of.tenantId, of.role, await hash, of.ageMs ?? 2 * dayMs],
  );
  const personId = row!.person_id;
  const visitor = new PortalVisitor(portal);
  await visitor.post('session', { email, password });
  const { sealed, options } = (await visitor.post('passkeys/options')).body as unknown as {
    sealed: string;
    options: { challenge: string };
  };
  const handle = Buffer.from(personId.replaceAll('-', ''), 'hex').toString('base64url');
  const passkey = new SoftPasskey(ownOrigin, handle).create(options);
  const { status } = await visitor.post('passkeys', { sealed, name: 'Key', ...passkey });
  if (status !== 200) throw new Error(`the passkey of ${name} was not taken: ${status}`);
  return { name, personId, visitor };
}
