import { Inject, Injectable } from '@nestjs/common';
import type { InternalClient } from '@paycode/access';
import type { PortalFourEyesNotice } from '@paycode/dto';
import { DomainError, LOGGER, type Logger } from '@paycode/service-runtime';
import { type AuditEvent, AuditLog, type ByPerson, doneBy } from '../audit';
import { refusal } from '../neighbours';
import { may, type Permission, type Person, type Role, roles, tenantName } from '../people/domain/person';
import type { Proof, Proven } from '../sessions/proofs';
import { notYours } from '../tenancy/scope';
import {
  confirmsFrom,
  judge,
  type Kind,
  openForS,
  type Refusal,
  type RequestChange,
  type State,
  stateIn,
} from './domain/request';
import { FourEyesStore, type KnownRequest, type Owner, type StoredRequest } from './four-eyes.store';

/** Mails those who can confirm. Rejects when that is not sure to happen. */
export class FourEyesMailer {
  constructor(private readonly client: InternalClient) {}

  async ask(notice: PortalFourEyesNotice, proof: Proof): Promise<void> {
    await this.client.post('/internal/recipient-messages/four-eyes', notice, await proof());
  }
}

export interface Subject {
  kind: Kind;
  /** Changes when the subject of the request changes. */
  fingerprint: string;
  /** The subject of the request, where kind and tenant do not identify it. */
  about?: string;
}

/** As pages show it; instants are ISO 8601 UTC. */
export interface RequestReport {
  requestId: string;
  state: State;
  askedBy: { personId: string; name: string };
  askedAt: string;
  expiresAt: string;
  endedBy: string | null;
}

export interface AskedReport extends RequestReport {
  /** Whether those who can confirm are mailed. */
  isMailed: boolean;
}

export interface Overview {
  request: RequestReport | null;
  /** People who may ask and confirm. */
  owners: { personId: string; name: string; confirmsFrom: string }[];
}

/** Permission for asking and confirming; the sandbox has the same rule as production. */
const permissionOf: Record<Kind, Permission> = { BEARER_SWITCH: 'CREDENTIALS', DEAD_LETTERS: 'ON_CALL' };
const actions = { CONFIRM: 'FOUR_EYES_CONFIRMED', WITHDRAW: 'FOUR_EYES_WITHDRAWN', REFUSE: 'FOUR_EYES_REFUSED' } as const;

/** Flow: one person asks -> another of the same tenant confirms within a day, or somebody ends it -> both names on record, before anything is done. */
@Injectable()
export class FourEyesService {
  constructor(
    private readonly store: FourEyesStore,
    private readonly audit: AuditLog,
    private readonly mailer: FourEyesMailer,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** `fingerprint` null: what a request is about cannot be looked at just now. */
  async overview({ kind, fingerprint }: { kind: Kind; fingerprint: string | null }, person: Person): Promise<Overview> {
    const found = await this.store.latest(kind, person);
    const owners = await this.store.owners(person, rolesFor(kind));
    return {
      request: found ? shownOf({ ...found.request, state: stateOf(found, fingerprint) }) : null,
      owners: owners.map(({ personId, name, joinedAt }) => ({
        personId,
        name,
        confirmsFrom: confirmsFrom(joinedAt).toISOString(),
      })),
    };
  }

  /** The last request of the person's tenant, whatever became of it, with what it is about. */
  async latest(kind: Kind, person: Person): Promise<{ requestId: string; about: string | null } | undefined> {
    const found = await this.store.latest(kind, person);
    return found && { requestId: found.request.requestId, about: found.request.about };
  }

  /** Mails those who could confirm. @throws DomainError 409 when a request is open, or nobody could confirm one */
  async ask({ kind, fingerprint, about }: Subject, by: Proven): Promise<AskedReport> {
    const { person } = by;
    const owners = await this.store.owners(person, rolesFor(kind));
    if (!owners.some(({ personId }) => personId !== person.personId)) throw nobodyConfirms(kind);
    const wanted = { kind, asker: person, fingerprint, about: about ?? null, openForS };
    const request = await this.store.ask(wanted, found => stateOf(found, fingerprint) === 'OPEN');
    if (!request) throw anotherIsOpen();
    await this.record('FOUR_EYES_ASKED', request, by);
    return { ...shownOf(request), isMailed: await this.tell(request, owners, by) };
  }

  /** Good once: when it resolves, what was asked for is to be done. @throws DomainError 403, 404, 409 */
  confirm(requestId: string, subject: Subject, by: ByPerson): Promise<RequestReport> {
    return this.take('CONFIRM', { requestId, subject }, by);
  }

  /** By whoever asked. @throws DomainError 403, 404, 409 */
  withdraw(requestId: string, by: ByPerson): Promise<RequestReport> {
    return this.take('WITHDRAW', { requestId }, by);
  }

  /** By another person. @throws DomainError 403, 404, 409 */
  refuse(requestId: string, by: ByPerson): Promise<RequestReport> {
    return this.take('REFUSE', { requestId }, by);
  }

  private async take(step: RequestChange, { requestId, subject }: { requestId: string; subject?: Subject }, by: ByPerson) {
    const ended = await this.store.end(requestId, by.person, (found, deciding) => {
      if (subject && subject.kind !== found.request.kind) throw notYours();
      if (!rolesFor(found.request.kind).includes(by.person.role)) throw roleRefused(found.request.kind);
      return judge({ step, by: deciding }, found.request, circumstancesOf(found, subject?.fingerprint ?? null));
    });
    if (!ended) throw notYours();
    if (ended.verdict.refusal) throw refused(ended.verdict.refusal, ended.request.kind);
    await this.record(actions[step], ended.request, by);
    return shownOf(ended.request);
  }

  /** false: those who can confirm are not sure to get a mail, so the asker says it to them. The request stands: it is on the page of each. */
  private async tell(
    { requestId, kind, expiresAt }: StoredRequest,
    owners: readonly Owner[],
    { person: asker, proof }: Proven,
  ): Promise<boolean> {
    const to = owners
      .filter(({ personId }) => personId !== asker.personId)
      .map(({ email, name, language, timeZone }) => ({ email, name, language, timeZone }));
    try {
      await this.mailer.ask({ requestId, kind, to, expiresAt: expiresAt.toISOString() }, proof);
      return true;
    } catch (err) {
      this.log.warn({ event: 'second-person-not-told', requestId, err }, 'those who can confirm a request were not mailed');
      return false;
    }
  }

  private record(action: AuditEvent['action'], { kind, requestId, askedByName }: StoredRequest, by: ByPerson): Promise<void> {
    const detail = { kind, requestId, askedBy: askedByName, tenant: tenantName(by.person) };
    return this.audit.record({ ...doneBy(by), action, detail });
  }
}

function rolesFor(kind: Kind): Role[] {
  return roles.filter(role => may(role, permissionOf[kind], true));
}

function stateOf(found: KnownRequest, fingerprint: string | null): State {
  return stateIn(found.request, circumstancesOf(found, fingerprint));
}

function circumstancesOf({ now, asker, request }: KnownRequest, fingerprint: string | null) {
  return { now, fingerprint, mayAsk: rolesFor(request.kind).includes(asker.role) && asker.isOfTenant };
}

function shownOf({ requestId, state, askedBy, askedByName, askedAt, expiresAt, endedByName }: StoredRequest): RequestReport {
  return {
    requestId,
    state,
    askedBy: { personId: askedBy, name: askedByName },
    askedAt: askedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    endedBy: endedByName,
  };
}

/** Texts of the refusals: who may decide, and how the tenant gets another such person. */
const words: Record<Kind, { another: string; noMore: string; invite: string; role: string }> = {
  BEARER_SWITCH: {
    another: 'another owner',
    noMore: 'is no owner any more',
    invite: 'invite a second owner under People, who signs in with a password',
    role: 'your role decides nothing here: an owner of your account does',
  },
  DEAD_LETTERS: {
    another: 'another person on call',
    noMore: 'is on call no more',
    invite: 'an administrator invites a second person on call under People, who signs in with a password',
    role: 'your role decides nothing here: people on call and administrators do',
  },
};

function forbidden(refusal: Refusal, another: string): string | undefined {
  const texts: Partial<Record<Refusal, string>> = {
    OWN: `nobody decides about the own request: ${another} does, or you withdraw it`,
    NEWCOMER: `whoever was let in less than 24 hours ago confirms nothing yet: ${another} confirms, or you do later`,
    NOT_ASKER: 'whoever asked withdraws a request: you can refuse it',
  };
  return texts[refusal];
}

function ended(refusal: Refusal, noMore: string): string {
  const texts: Partial<Record<Refusal, string>> = {
    CONFIRMED: 'this request was confirmed already',
    WITHDRAWN: 'this request was withdrawn by whoever made it: ask again',
    REFUSED: 'this request was refused: ask again',
    EXPIRED: 'this request has run out after 24 hours: ask again',
    ASKER_LEFT: `whoever made this request ${noMore}: ask again`,
    CHANGED: 'what this request is about has changed since: look at it, and ask again',
  };
  return texts[refusal]!;
}

function refused(refusal: Refusal, kind: Kind): DomainError {
  const { another, noMore } = words[kind];
  const message = forbidden(refusal, another);
  if (message) return new DomainError({ status: 403, reason: `REQUEST_${refusal}`, message });
  return new DomainError({ status: 409, reason: `REQUEST_${refusal}`, message: ended(refusal, noMore) });
}

const anotherIsOpen = () =>
  refusal([409, 'REQUEST_OPEN'], 'somebody has asked for this already: confirm, refuse or withdraw that request first');

function nobodyConfirms(kind: Kind): DomainError {
  const message = `nobody else could confirm: ${words[kind].invite}`;
  return new DomainError({ status: 409, reason: 'NO_SECOND_OWNER', message });
}

function roleRefused(kind: Kind): DomainError {
  return new DomainError({ status: 403, reason: 'ROLE', message: words[kind].role });
}
