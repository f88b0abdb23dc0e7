import ipaddr from 'ipaddr.js';

/** What limits count a client address under: an IPv6 client owns a /64 at least, so those share one key (T-05, T-30). */
export function addressKey(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return ipaddr.IPv6.parse(address).toByteArray().slice(0, 8).join('.');
}
