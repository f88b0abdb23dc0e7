import { DomainError } from '@paycode/service-runtime';
import type { Kind, Refusal } from './domain/request';

/** Texts of the refusals: who may decide, and how the tenant gets another such person. */
const words: Record<Kind, { another: string; noMore: string; invite: string; role: string }> = {
  BEARER_SWITCH: {
    another: 'another owner',
    noMore: 'is no owner any more',
    invite: 'invite a second owner under Security, who signs in with a password',
    role: 'your role decides nothing here: an owner of your account does',
  },
  DEAD_LETTERS: {
    another: 'another person on call',
    noMore: 'is on call no more',
    invite: 'an administrator invites a second person on call under Security, who signs in with a password',
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

export function refused(refusal: Refusal, kind: Kind): DomainError {
  const { another, noMore } = words[kind];
  const message = forbidden(refusal, another);
  if (message) return new DomainError({ status: 403, reason: `REQUEST_${refusal}`, message });
  return new DomainError({ status: 409, reason: `REQUEST_${refusal}`, message: ended(refusal, noMore) });
}

export function anotherIsOpen(): DomainError {
  const message = 'somebody has asked for this already: confirm, refuse or withdraw that request first';
  return new DomainError({ status: 409, reason: 'REQUEST_OPEN', message });
}

export function nobodyConfirms(kind: Kind): DomainError {
  const message = `nobody else could confirm: ${words[kind].invite}`;
  return new DomainError({ status: 409, reason: 'NO_SECOND_OWNER', message });
}

export function roleRefused(kind: Kind): DomainError {
  return new DomainError({ status: 403, reason: 'ROLE', message: words[kind].role });
}
