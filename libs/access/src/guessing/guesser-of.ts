import ipaddr from 'ipaddr.js';

const plainIpv4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/**
 * The key to count guesses under: an IPv4 address, or the /64 of an IPv6 address (one host has all of it). Any other text is its
 * own key.
 */
export function guesserOf(address: string): string {
  if (plainIpv4.test(address) || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : (parsed as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
