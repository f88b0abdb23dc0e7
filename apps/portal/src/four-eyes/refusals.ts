import { DomainError } from '@paycode/service-runtime';
import type { Refusal } from './domain/request';

const forbidden: Partial<Record<Refusal, string>> = {
  OWN: 'nobody decides about the own request: another owner does, or you withdraw it',
  NEWCOMER: 'whoever was let in less than 24 hours ago confirms nothing yet: another owner confirms, or you do later',
  NOT_ASKER: 'whoever asked withdraws a request: you can refuse it',
};

const ended: Partial<Record<Refusal, string>> = {
  CONFIRMED: 'this request was confirmed already',
  WITHDRAWN: 'this request was withdrawn by whoever made it: ask again',
  REFUSED: 'this request was refused: ask again',
  EXPIRED: 'this request has run out after 24 hours: ask again',
  ASKER_LEFT: 'whoever made this request is no owner any more: ask again',
  CHANGED: 'what this request is about has changed since: look at it, and ask again',
};

export function refused(refusal: Refusal): DomainError {
  const message = forbidden[refusal];
  if (message) return new DomainError({ status: 403, reason: `REQUEST_${refusal}`, message });
  return new DomainError({ status: 409, reason: `REQUEST_${refusal}`, message: ended[refusal]! });
}

export function anotherIsOpen(): DomainError {
  const message = 'somebody has asked for this already: confirm, refuse or withdraw that request first';
  return new DomainError({ status: 409, reason: 'REQUEST_OPEN', message });
}

export function nobodyConfirms(): DomainError {
  const message = 'nobody else could confirm: invite a second owner under Security, who signs in with a password';
  return new DomainError({ status: 409, reason: 'NO_SECOND_OWNER', message });
}

export function roleRefused(): DomainError {
  return new DomainError({
    status: 403,
    reason: 'ROLE',
    message: 'your role decides nothing here: an owner of your account does',
  });
}
