import { TrustedProxies } from './client-addresses';
import { SharedAddressWatch } from './connection-gate';

const forwardedFor = (...values: string[]) => values.flatMap(value => ['X-Forwarded-For', value]);

describe('the address of the client (T-26)', () => {
  const proxies = new TrustedProxies(['10.0.0.0/8', '2001:db8::1'], 'TRUSTED_PROXIES');

  it('without a named proxy the client is the peer of the connection, whatever the request claims', () => {
    expect(proxies.clientAddressOf('203.0.113.9', forwardedFor('198.51.100.1'))).toBe('203.0.113.9');
    expect(new TrustedProxies([], 'TRUSTED_PROXIES').clientAddressOf('127.0.0.1', forwardedFor('198.51.100.1'))).toBe(
      '127.0.0.1',
    );
  });

  it('behind named proxies the client is the nearest hop that is not one of them, so a forged first entry has no effect', () => {
    expect(proxies.clientAddressOf('10.1.1.1', forwardedFor('198.51.100.1, 203.0.113.9, 10.2.2.2'))).toBe('203.0.113.9');
    expect(proxies.clientAddressOf('10.1.1.1', forwardedFor('198.51.100.1', '203.0.113.9'))).toBe('203.0.113.9');
    expect(proxies.clientAddressOf('2001:db8:0::1', forwardedFor('203.0.113.9'))).toBe('203.0.113.9');
  });

  it('the search stops at the proxy that sent an entry which is no address', () => {
    expect(proxies.clientAddressOf('10.1.1.1', forwardedFor('203.0.113.9, unknown'))).toBe('10.1.1.1');
    expect(proxies.clientAddressOf('10.1.1.1', [])).toBe('10.1.1.1');
  });

  it('an IPv4 peer on a dual-stack socket is the same peer', () => {
    expect(proxies.clientAddressOf('::ffff:10.1.1.1', forwardedFor('::ffff:203.0.113.9'))).toBe('203.0.113.9');
  });

  it('refuses to start with a proxy list it cannot read', () => {
    expect(() => new TrustedProxies(['load-balancer'], 'TRUSTED_PROXIES')).toThrow('TRUSTED_PROXIES');
  });
});

const connect = (watch: SharedAddressWatch, addressOf: (n: number) => string) =>
  Array.from({ length: 1_000 }, (_, n) => watch.connected(addressOf(n))).filter(found => found !== undefined);

describe('many clients that appear under one address', () => {
  it('900 of 1,000 connections from one private address are reported, once (T-30)', () => {
    expect(connect(new SharedAddressWatch(), n => (n % 10 === 0 ? `192.0.2.${n % 250}` : '10.0.0.7'))).toEqual(['10.0.0.7']);
    expect(connect(new SharedAddressWatch(), () => 'fd00::7')).toEqual(['fd00::7']);
    expect(connect(new SharedAddressWatch(), () => '::ffff:100.64.0.1')).toEqual(['::ffff:100.64.0.1']);
  });

  it.each<[string, (n: number) => string]>([
    ['a client of the internet', () => '203.0.113.9'],
    ['the machine itself', () => '127.0.0.1'],
    ['899 of one private address', n => (n < 101 ? `192.0.2.${n}` : '10.0.0.7')],
    ['an address that cannot be read', () => ''],
  ])('%s is not reported (T-30)', (_name, addressOf) => {
    expect(connect(new SharedAddressWatch(), addressOf)).toEqual([]);
  });

  it('each 1,000 connections are judged by themselves (T-30)', () => {
    const watch = new SharedAddressWatch();
    expect(connect(watch, () => '203.0.113.9')).toEqual([]);
    expect(connect(watch, () => '10.0.0.7')).toEqual(['10.0.0.7']);
  });
});
