import { hash } from 'node:crypto';
import { BoundedMap } from '@paycode/service-runtime/timing';
import ipaddr from 'ipaddr.js';

/** How tries under one key slow down the next ones (T-05). */
export interface GuessRule {
  /** Tries without a wait, because a person or a deployment sometimes has a wrong password. */
  freeTries: number;
  /** Wait after the first try beyond the free ones, in milliseconds; doubles with each further one. */
  delayFirstMs: number;
  /** Longest wait, in milliseconds. It is short, because a mistyped password may cost so much. */
  delayMaxMs: number;
  /** The count is dropped after this long, in milliseconds: since its last try, or since its first one. */
  memoryMs: number;
  memorySince: 'LAST_TRY' | 'FIRST_TRY';
}

/** The longest memory of any rule, in milliseconds. */
export const forgetAfterMs = 15 * 60_000;

/** Tries under one key that still count. */
export interface GuessCount {
  failures: number;
  lastFailedAtMs: number;
  forgetAtMs: number;
}

/** The instant from which the next try is counted instead of refused, in epoch milliseconds; 0 when it is counted at once. */
export function blockedUntilMs(count: GuessCount, rule: GuessRule): number {
  const beyond = count.failures - rule.freeTries;
  if (beyond <= 0) return 0;
  // The exponent is capped so that a long attack cannot overflow the number.
  const untilMs = count.lastFailedAtMs + Math.min(rule.delayMaxMs, rule.delayFirstMs * 2 ** Math.min(beyond - 1, 30));
  return Math.min(untilMs, count.forgetAtMs);
}

/** Whole seconds until `untilMs`, at least 1: a Retry-After. */
export function retryAfterS(untilMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((untilMs - nowMs) / 1_000));
}

/** How every sign-in of the platform slows guesses down; how many tries are free is each one's own. */
export const guessDelays = {
  delayFirstMs: 1_000,
  delayMaxMs: 60_000,
  memoryMs: forgetAfterMs,
  memorySince: 'LAST_TRY',
} as const satisfies Omit<GuessRule, 'freeTries'>;

const plainIpv4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/** The key to count guesses under: an IPv4 address, or the /64 of an IPv6 address (one host has all of it). Any other text is its own key. */
export function guesserOf(address: string): string {
  if (plainIpv4.test(address) || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : (parsed as ipaddr.IPv6).parts.slice(0, 4).join(':');
}

/** Digest under which tries are counted. */
export const guessKeys = {
  pair: (identity: string, guesser: string): Buffer => digest('pair', identity, guesser),
  address: (guesser: string): Buffer => digest('address', guesser),
  account: (identity: string): Buffer => digest('account', identity),
  challenges: (guesser: string): Buffer => digest('challenges', guesser),
};

function digest(...parts: string[]): Buffer {
  return hash('sha256', JSON.stringify(parts), 'buffer');
}

const knownMax = 20_000;
/** The store is asked again after this long, in milliseconds, so that a count that was given back or removed by hand takes effect soon. */
const knownForMs = 1_000;

interface KnownBlock {
  untilMs: number;
  sinceMs: number;
}

/**
 * Keys that this replica knows to be waiting. It refuses their tries without a statement, so that a flood of them costs nothing. It is only
 * a cache: the store knows all of them.
 */
export class KnownBlocks {
  private readonly blocks = new BoundedMap<string, KnownBlock>(knownMax);

  /** The time until which the last of these keys waits, in epoch milliseconds; 0 when none is known to wait. */
  lastOf(keys: readonly Buffer[], nowMs: number): number {
    if (this.blocks.size === 0) return 0;
    return Math.max(0, ...keys.map(key => this.untilOf(key, nowMs)));
  }

  add(key: Buffer, untilMs: number, nowMs: number): void {
    this.blocks.set(key.toString('hex'), { untilMs, sinceMs: nowMs });
  }

  private untilOf(key: Buffer, nowMs: number): number {
    const block = this.blocks.get(key.toString('hex'));
    const isFresh = block !== undefined && nowMs >= block.sinceMs && nowMs < block.sinceMs + knownForMs;
    return isFresh && nowMs < block.untilMs ? block.untilMs : 0;
  }
}
