import { Injectable } from '@nestjs/common';
import type { PortalAccount } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { CurrentPassword } from '../sign-in/current-password';
import { type CredentialsCaller, CredentialsService } from './credentials.service';

export class SwitchRules {
  constructor(readonly isProduction: boolean) {}
}

/** Flow, in the sandbox: the name of the account, typed by who wants it, and the own password -> the account takes session tokens for good. */
@Injectable()
export class BearerSwitchService {
  constructor(
    private readonly credentials: CredentialsService,
    private readonly current: CurrentPassword,
    private readonly rules: SwitchRules,
  ) {}

  /** @throws DomainError 403 in production, where one person alone must not stop the programs of a shop; 400 for another name */
  async switch({ current, typed }: { current: string; typed: string }, asking: CredentialsCaller): Promise<PortalAccount> {
    if (this.rules.isProduction) throw secondPerson();
    demandName(typed, await this.credentials.show(asking));
    await this.current.demand(current, asking);
    return this.credentials.enableBearer(asking);
  }
}

/** @throws DomainError 400 */
export function demandName(typed: string, { username }: PortalAccount): void {
  if (typed.trim() === username) return;
  const message = `type the name of the account to switch it for good: ${username}`;
  throw new DomainError({ status: 400, reason: 'NOT_NAMED', message });
}

function secondPerson(): DomainError {
  const message = 'in production another owner confirms the switch: ask for it first, it cannot be undone';
  return new DomainError({ status: 403, reason: 'SECOND_PERSON', message });
}
