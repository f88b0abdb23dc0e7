import { Injectable } from '@nestjs/common';
import type { PortalAccount } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { type CredentialsCaller, CredentialsService } from './credentials.service';

export class SwitchRules {
  constructor(readonly isProduction: boolean) {}
}

/** Flow: the name of the account, typed by who wants it, and the own password -> the account takes session tokens for good. */
@Injectable()
export class BearerSwitchService {
  constructor(
    private readonly credentials: CredentialsService,
    private readonly rules: SwitchRules,
  ) {}

  /** @throws DomainError 403 in production, where one person alone must not stop the programs of a shop; 400 for another name */
  async switch({ current, typed }: { current: string; typed: string }, asking: CredentialsCaller): Promise<PortalAccount> {
    if (this.rules.isProduction) throw supportSwitches();
    const { username } = await this.credentials.show(asking);
    if (typed.trim() !== username) throw notNamed(username);
    return this.credentials.enableBearer(current, asking);
  }
}

function notNamed(username: string): DomainError {
  const message = `type the name of the account to switch it for good: ${username}`;
  return new DomainError({ status: 400, reason: 'NOT_NAMED', message });
}

function supportSwitches(): DomainError {
  const message = 'in production support makes the switch: ask for it, it cannot be undone';
  return new DomainError({ status: 403, reason: 'SUPPORT_SWITCHES', message });
}
