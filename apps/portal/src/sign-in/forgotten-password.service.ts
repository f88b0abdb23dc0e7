import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { AuditLog, type Origin } from '../audit';
import { InvitationMailer } from '../people/people.service';
import { PeopleStore } from '../people/people.store';
import { newSecret, secretHash } from '../people/secrets';
import { SignInLimiter } from './sign-in-limiter';

/** A link to choose another password is good for this long. */
const linkMs = 3_600_000;

/**
 * Flow: an e-mail address -> answered at once, the same whether anybody has it -> a secret link by e-mail, good once and for an hour. The link
 * sets the password alone: a second factor is still asked for.
 */
@Injectable()
export class ForgottenPasswordService implements OnApplicationShutdown {
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly people: PeopleStore,
    private readonly limiter: SignInLimiter,
    private readonly mailer: InvitationMailer,
    private readonly audit: AuditLog,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws DomainError 429 for an address that asked for many */
  async ask(email: string, origin: Origin): Promise<void> {
    await this.limiter.countForgotten(origin.address);
    // Not waited for: the time of the answer would tell whether the address has a password here (T-06).
    const sending = this.send(email, origin)
      .catch((err: unknown) => this.logger.warn({ event: 'reset-not-mailed', err }, 'a link to choose a password was not mailed'))
      .finally(() => this.running.delete(sending));
    this.running.add(sending);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.running);
  }

  private async send(email: string, origin: Origin): Promise<void> {
    const person = (await this.people.byEmail(email))?.person;
    if (!person || !(await this.limiter.mayMailReset(person.personId))) return;
    const { personId, name: personName } = person;
    const secret = newSecret();
    const expiresAt = new Date(Date.now() + linkMs);
    await this.people.invite(personId, { tokenHash: secretHash(secret), expiresAt });
    await this.audit.record({ personId, personName, action: 'PASSWORD_RESET_ASKED', origin });
    await this.mailer.send(secret, { reason: 'PASSWORD_FORGOTTEN' });
  }
}
