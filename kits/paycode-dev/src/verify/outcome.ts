import { sentenceOf } from '../transport/failure';
import type { Exchange } from '../transport/exchange';
import { fail, type Finding, pass } from './check';

export const isAccepted = ({ status }: Exchange): boolean => status === 200;

/** E.g. `the answer was 500` or `no answer came in time`. */
export function outcomeOf({ status, failure }: Exchange): string {
  return failure === null ? `the answer was ${status}` : sentenceOf(failure);
}

const causes: [statuses: RegExp, usual: string][] = [
  [/^2/, 'Only 200 acknowledges a payment: answer exactly that, after your work is stored.'],
  [/^3/, 'Redirects are not followed: register the URL to which this one leads.'],
  [
    /^401$/,
    'A password is asked for: Paycode sends none, so let the path through without one. The encrypted body proves the sender.',
  ],
  [/^403$/, "A firewall or a check against forged forms (CSRF) refuses: exempt the path, and let Paycode's addresses through."],
  [/^40[45]$/, 'No route takes POST at this path: compare the path, and whether it ends with a slash.'],
  [/^415$/, 'A JSON parser stands in front: the body is base64 text, so mount the receiver before it.'],
  [/^50[24]$/, 'A proxy in front got no answer from the receiver: does it run, and at the port that the proxy knows?'],
];

/** Pass when it was answered 200, else fail with the usual cause of the status, or the advice. */
export function mustBeAccepted(exchange: Exchange, advice: string): Finding {
  if (isAccepted(exchange)) return pass(`200 after ${milliseconds(exchange.ms)}`);
  const usual = causes.find(([statuses]) => statuses.test(String(exchange.status)))?.[1];
  const place = exchange.location === null ? '' : ` It leads to ${exchange.location}.`;
  return fail(`${sentence(outcomeOf(exchange))}${place} ${usual ?? advice}`);
}

export function sentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

export function milliseconds(ms: number | null): string {
  return `${Math.round(ms ?? 0)} ms`;
}
