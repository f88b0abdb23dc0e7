import { TrustedProxies } from './client-addresses';

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
