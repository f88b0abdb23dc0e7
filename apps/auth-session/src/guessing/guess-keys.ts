import { hash } from 'node:crypto';
import ipaddr from 'ipaddr.js';

const plainIpv4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/** Who is guessing: an IPv4 address, or the /64 of an IPv6 address (one host has all of it). Anything else stands for itself. */
export function guesserOf(address: string): string {
  if (plainIpv4.test(address) || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : (parsed as ipaddr.IPv6).parts.slice(0, 4).join(':');
}

export interface GuessKeys {
  pair: Buffer;
  address: Buffer;
  account: Buffer;
}

/** Digests under which failures of `identity` from `address` are counted. */
export function guessKeysOf(identity: string, address: string): GuessKeys {
  const guesser = guesserOf(address);
  return {
    pair: digest('pair', identity, guesser),
    address: digest('address', guesser),
    account: digest('account', identity),
  };
}

function digest(...parts: string[]): Buffer {
  return hash('sha256', JSON.stringify(parts), 'buffer');
}
