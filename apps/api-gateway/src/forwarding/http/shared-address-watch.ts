import ipaddr from 'ipaddr.js';

/** Connections looked at together, and the share of them that one address must have. */
const windowConnections = 1_000;
const shareMin = 0.9;

/**
 * Finds out that a proxy hides all clients behind its own address: nearly every connection then comes from one private address, and each
 * limit per address is one for everybody (T-30).
 */
export class SharedAddressWatch {
  private readonly counts = new Map<string, number>();
  private seen = 0;

  /** Counts one connection; the address that nearly all of the last 1,000 came from, if it is a private one. */
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
