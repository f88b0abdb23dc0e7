import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { type Person, tenantName } from '../people/domain/person';
import { PORTAL_URL } from '../people/invite-person.service';
import type { Kind } from './domain/request';
import { FourEyesMailer, type Owner, type StoredRequest } from './four-eyes.ports';

/** What is asked for, in words, and the page on which it is confirmed. */
const asked: Record<Kind, { what: string; page: string }> = {
  BEARER_SWITCH: { what: 'the switch of your API account to Bearer', page: 'api' },
  DEAD_LETTERS: { what: 'events that were parked to be given to a service again', page: 'on-call/dead-letters' },
};

/** Flow: a new request -> a mail to everybody who can confirm it, but to whoever asked. */
@Injectable()
export class TellSecondPeopleService {
  constructor(
    private readonly mailer: FourEyesMailer,
    @Inject(PORTAL_URL) private readonly portalUrl: string,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** false: they are not sure to be told, and whoever asks is to tell them. The request stands: it is on the page of each. */
  async tell({ requestId, kind, expiresAt }: StoredRequest, owners: readonly Owner[], asker: Person): Promise<boolean> {
    const to = owners.filter(({ personId }) => personId !== asker.personId).map(({ email, name }) => ({ email, name }));
    const { what, page } = asked[kind];
    const link = `${this.portalUrl}/${page}`;
    const notice = {
      requestId,
      to,
      askedBy: asker.name,
      what,
      tenant: tenantName(asker),
      link,
      expiresAt: expiresAt.toISOString(),
    };
    try {
      await this.mailer.ask(notice);
      return true;
    } catch (err) {
      this.log.warn({ event: 'second-person-not-told', requestId, err }, 'those who can confirm a request were not mailed');
      return false;
    }
  }
}
