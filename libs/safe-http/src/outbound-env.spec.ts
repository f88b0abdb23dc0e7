import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { outboundEnv, outboundPolicyOf, userAgent } from './outbound-env';

describe('the settings of outbound requests', () => {
  it('each setting reaches the policy (R-6.2-8, A-81)', () => {
    const policy = outboundPolicyOf({
      PAYCODE_ENVIRONMENT: 'production',
      OUTBOUND_ALLOW: ['10.0.0.0/8'],
      OUTBOUND_DENY: ['203.0.113.0/24'],
      OUTBOUND_CA_FILE: '/etc/receivers.pem',
      OUTBOUND_CLIENT_CERT_FILE: '/etc/client.pem',
      OUTBOUND_CLIENT_KEY_FILE: '/etc/client.key',
      OUTBOUND_TLS_MIN_VERSION: 'TLSv1.3',
      OUTBOUND_PROXY: 'http://proxy:3128',
      OUTBOUND_SOURCE_ADDRESSES: ['198.51.100.7'],
      OUTBOUND_DNS_SERVERS: ['192.0.2.53'],
    });
    expect(policy).toEqual({
      environment: 'production',
      allow: ['10.0.0.0/8'],
      deny: ['203.0.113.0/24'],
      caFile: '/etc/receivers.pem',
      clientCertFile: '/etc/client.pem',
      clientKeyFile: '/etc/client.key',
      tlsMinVersion: 'TLSv1.3',
      proxy: 'http://proxy:3128',
      sourceAddresses: ['198.51.100.7'],
      dnsServers: ['192.0.2.53'],
    });
  });

  it('by default only globally routable addresses are reached (T-11)', () => {
    expect(outboundEnv.OUTBOUND_ALLOW.default).toEqual([]);
  });
});

describe('the User-Agent of requests to receivers', () => {
  it('names the product and the version of the package', () => {
    const { version } = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')) as { version: string };
    expect(userAgent).toBe(`Paycode/${version}`);
  });
});
