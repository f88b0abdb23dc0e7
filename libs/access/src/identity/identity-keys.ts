import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

export interface JwkSet {
  keys: (JsonWebKey & { kid?: string })[];
}

/** Where the public keys of identity assertions come from. */
export type JwksSource = () => Promise<JwkSet>;

export interface IdentityKeysOptions {
  /** Least time between two fetches, in milliseconds. */
  refreshIntervalMinMs?: number;
  /** Age from which a key set is renewed although it knows the key, in milliseconds: drops keys that were withdrawn. */
  maxAgeMs?: number;
}

/**
 * The keys that verify identity assertions. They are kept in memory, so services keep working while auth-session is down. They
 * are fetched again for an unknown key id, at most once per interval.
 */
export class IdentityKeys {
  private keys = new Map<string, KeyObject>();
  private fetchedAt = -Infinity;
  private fetching: Promise<void> | undefined;
  private readonly refreshIntervalMinMs: number;
  private readonly maxAgeMs: number;

  constructor(
    private readonly source: JwksSource,
    options: IdentityKeysOptions = {},
  ) {
    this.refreshIntervalMinMs = options.refreshIntervalMinMs ?? 1_000;
    this.maxAgeMs = options.maxAgeMs ?? 300_000;
  }

  /** The key, or undefined when no such key exists. Rejects when the key is unknown and auth-session does not answer. */
  async find(kid: string): Promise<KeyObject | undefined> {
    const known = this.keys.get(kid);
    if (!known) return this.findAnew(kid);
    // This request may use the old set. Fetch a new one concurrently, and keep the old one when that fails.
    if (performance.now() - this.fetchedAt > this.maxAgeMs) void this.refresh().catch(() => undefined);
    return known;
  }

  private async findAnew(kid: string): Promise<KeyObject | undefined> {
    await this.refresh();
    return this.keys.get(kid);
  }

  /** One fetch at a time serves all waiting callers. Fetches are spaced, so that invented key ids cannot flood auth-session. */
  private refresh(): Promise<void> {
    return (this.fetching ??= this.fetch().finally(() => (this.fetching = undefined)));
  }

  private async fetch(): Promise<void> {
    const wait = this.fetchedAt + this.refreshIntervalMinMs - performance.now();
    if (wait > 0) await pause(wait);
    this.fetchedAt = performance.now();
    const { keys } = await this.source();
    this.keys = new Map(keys.flatMap(jwk => (jwk.kid ? [[jwk.kid, createPublicKey({ key: jwk, format: 'jwk' })]] : [])));
  }
}
