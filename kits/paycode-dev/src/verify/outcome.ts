import { sentenceOf } from '../transport/failure';
import type { Exchange } from '../transport/exchange';
import { fail, type Finding, pass } from './check';

export const isAccepted = ({ status }: Exchange): boolean => status === 200;

/** E.g. `the answer was 500` or `no answer came in time`. */
export function outcomeOf({ status, failure }: Exchange): string {
  return failure === null ? `the answer was ${status}` : sentenceOf(failure);
}

/** Pass when it was answered 200, else fail with the advice. */
export function mustBeAccepted(exchange: Exchange, advice: string): Finding {
  if (isAccepted(exchange)) return pass(`200 after ${milliseconds(exchange.ms)}`);
  return fail(`${sentence(outcomeOf(exchange))} ${advice}`);
}

export function sentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

export function milliseconds(ms: number | null): string {
  return `${Math.round(ms ?? 0)} ms`;
}
