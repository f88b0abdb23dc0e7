import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { PortalAccount } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { type AskedReport, FourEyesService, type Overview, type Subject } from '../four-eyes/four-eyes.service';
import { PORTAL_RULES, type PortalRules } from '../sessions/portal.guard';
import type { Proven } from '../sessions/proofs';
import { PasswordService } from '../sign-in/password.service';
import { CredentialsService } from './credentials.service';

export interface Typed {
  current: string;
  typed: string;
}

export type SwitchOverview = Overview & { takesTwo: boolean };

/**
 * Flow, in the sandbox: the name of the account, typed by the person, and the own password -> the account takes session tokens for good.
 * In production: an owner names the account and gives the own password -> another owner does the same within a day -> the same.
 */
@Injectable()
export class BearerSwitchService {
  constructor(
    private readonly credentials: CredentialsService,
    private readonly fourEyes: FourEyesService,
    private readonly password: PasswordService,
    @Inject(PORTAL_RULES) private readonly rules: PortalRules,
  ) {}

  async show(asking: Proven): Promise<SwitchOverview> {
    const account = await this.credentials.show(asking);
    if (!this.rules.isProduction) return { takesTwo: false, request: null, owners: [] };
    return { takesTwo: true, ...(await this.fourEyes.overview(subjectOf(account), asking.person)) };
  }

  /** @throws DomainError 403 in production, where one person alone must not stop the programs of a shop; 400 for another name */
  async switch({ current, typed }: Typed, asking: Proven): Promise<PortalAccount> {
    if (this.rules.isProduction) throw secondPerson();
    demandName(typed, await this.credentials.show(asking));
    await this.password.demand(current, asking);
    return this.credentials.enableBearer(asking);
  }

  /** @throws DomainError 400 for another name, 401, 409 */
  async ask(given: Typed, asking: Proven): Promise<AskedReport> {
    return this.fourEyes.ask(await this.proven(given, asking), asking);
  }

  /** @throws DomainError 400 for another name, 401, 403 for the own request, 404, 409 for one that has ended */
  async confirm({ requestId, ...given }: Typed & { requestId: string }, asking: Proven): Promise<PortalAccount> {
    const subject = await this.proven(given, asking);
    const { askedBy } = await this.fourEyes.confirm(requestId, subject, asking);
    return this.credentials.enableBearer(asking, askedBy.name);
  }

  /** The account is read last: what changes it while the password is looked at counts. */
  private async proven({ current, typed }: Typed, asking: Proven): Promise<Subject> {
    if (!this.rules.isProduction) throw onePerson();
    await this.password.demand(current, asking);
    const account = await this.credentials.show(asking);
    demandName(typed, account);
    if (account.mode === 'BEARER') throw switchedAlready();
    return subjectOf(account);
  }
}

function subjectOf({ username, mode, hasPassword, challengeRequired, ...account }: PortalAccount): Subject {
  const { sourceAddresses, publicKeySha256, passwordChangedAt } = account;
  const all = [username, mode, hasPassword, challengeRequired, sourceAddresses, publicKeySha256, passwordChangedAt];
  return { kind: 'BEARER_SWITCH', fingerprint: createHash('sha256').update(JSON.stringify(all)).digest('hex') };
}

function onePerson(): DomainError {
  const message = 'in the sandbox one person makes the switch: nobody has to confirm it';
  return new DomainError({ status: 409, reason: 'ONE_PERSON', message });
}

function switchedAlready(): DomainError {
  return new DomainError({ status: 409, reason: 'SWITCHED_ALREADY', message: 'the account takes session tokens already' });
}

/** @throws DomainError 400 */
function demandName(typed: string, { username }: PortalAccount): void {
  if (typed.trim() === username) return;
  const message = `type the name of the account to switch it for good: ${username}`;
  throw new DomainError({ status: 400, reason: 'NOT_NAMED', message });
}

function secondPerson(): DomainError {
  const message = 'in production another owner confirms the switch: ask for it first, it cannot be undone';
  return new DomainError({ status: 403, reason: 'SECOND_PERSON', message });
}
