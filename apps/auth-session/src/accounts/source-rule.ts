import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import ipaddr from 'ipaddr.js';
import { counter } from '@paycode/service-runtime/metrics';
import { EventCounts } from '../audit/event-counts';
import type { Principal } from './domain/account';

const refusedTotal = counter(
  'paycode_auth_session_sources_refused_total',
  'Right credentials from addresses that are not on the list of their accounts.',
);

type Range = [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

/** Address or CIDR range of an account's source list; undefined when it is neither. */
export function sourceRange(text: string): Range | undefined {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return undefined;
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** An account may be bound to the addresses of its owner, so that a stolen credential is useless elsewhere (T-15). */
@Injectable()
export class SourceRule {
  constructor(
    private readonly events: EventCounts,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Whether the account may be used from the address. An account without a list may be used from every address. */
  permits(account: Pick<Principal, 'username' | 'sourceAddresses'>, origin: { address: string; requestId: string }): boolean {
    if (account.sourceAddresses.length === 0 || isWithin(account.sourceAddresses, origin.address)) return true;
    const { address, requestId } = origin;
    refusedTotal.inc();
    // At most one log line and one row per minute and address: repeated use of a stolen credential must not fill the logs.
    if (!this.events.note({ kind: 'SOURCE_REFUSED', subject: account.username, origin: { actor: 'client', address, requestId } }))
      return false;
    const fields = { event: 'source-refused', username: account.username, address, requestId };
    this.logger.warn(fields, 'a right credential was used from an address that is not on the list of its account');
    return false;
  }
}

function isWithin(sources: readonly string[], address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  // On a dual-stack socket an IPv4 client has the address ::ffff:a.b.c.d.
  const client = ipaddr.process(address);
  return sources.some(source => {
    const range = sourceRange(source);
    return range !== undefined && range[0].kind() === client.kind() && client.match(range);
  });
}
