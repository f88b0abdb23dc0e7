import ipaddr from 'ipaddr.js';

/** Number of connections per window, and the number of them that one address must have. */
const windowConnections = 1_000;
const shareMin = 0.9;

/**
 * Detects a proxy that hides all clients behind its own address: nearly every connection then comes from one private address, and all
 * clients share each limit per address (T-30).
 */
export class SharedAddressWatch {
  private readonly counts = new Map<string, number>();
  private seen = 0;

  /** Counts one connection; returns the private address that nearly all of the last 1,000 came from, if there is one. */
  connected(address: string): string | undefined {
    this.counts.set(address, (this.counts.get(address) ?? 0) + 1);
    this.seen += 1;
    if (this.seen < windowConnections) return undefined;
    const shared = [...this.counts].find(([, count]) => count >= windowConnections * shareMin)?.[0];
    this.counts.clear();
    this.seen = 0;
    return shared !== undefined && isPrivate(shared) ? shared : undefined;
  }
}

function isPrivate(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  return ['private', 'uniqueLocal', 'carrierGradeNat', 'linkLocal'].includes(ipaddr.process(address).range());
}
