import ipaddr from 'ipaddr.js';

const plainIpv4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/** Who is guessing: an IPv4 address, or the /64 of an IPv6 address (one host has all of it). Anything else stands for itself. */
export function guesserOf(address: string): string {
  if (plainIpv4.test(address) || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : (parsed as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
