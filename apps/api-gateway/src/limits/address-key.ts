import ipaddr from 'ipaddr.js';

/**
 * Key of a client address for limits. An IPv6 client has at least a /64, so the addresses of a /64 share one key (T-05,
 * T-30).
 */
export function addressKey(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return ipaddr.IPv6.parse(address).toByteArray().slice(0, 8).join('.');
}
