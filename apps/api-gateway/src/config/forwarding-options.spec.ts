import { forwardingOptionsOf } from './forwarding-options';
import { gatewayEnv } from './env';

const files = { TLS_CERT_FILE: '/tls/server.pem', SERVICE_TOKEN_PRIVATE_KEY_FILE: 'p', SERVICE_TOKEN_PUBLIC_KEYS_FILE: 'q' };
const optionsOf = (settings: Record<string, string>) => forwardingOptionsOf(gatewayEnv.read({ ...files, ...settings }));

describe('addresses and files of the gateway', () => {
  it('the key of the certificate lies beside it; a setting for it is refused with the remedy', () => {
    expect(optionsOf({}).certificate).toMatchObject({ certFile: '/tls/server.pem', keyFile: '/tls/server.key' });
    expect(optionsOf({ TLS_CERT_FILE: '/etc/paycode/tls/tls.crt' }).certificate.keyFile).toBe('/etc/paycode/tls/tls.key');
    expect(() => optionsOf({ TLS_KEY_FILE: '/tls/other.pem' })).toThrow(
      'TLS_KEY_FILE is no longer a setting: set TLS_CERT_FILE, with the key beside it under the same name with the ending .key, in its place',
    );
  });

  it('one list names the four services that are always there, and the payment core has its own setting', () => {
    const list = (portal: string) =>
      `auth-session=https://a:1,notification-config=https://n:2,webhook-dispatcher=https://w:3,${portal}`;
    expect(
      optionsOf({ SERVICES_PUBLIC_URLS: list('portal=https://p:4/?a=b'), PAYMENT_SIMULATOR_PUBLIC_URL: 'https://core:5' })
        .services.origins,
    ).toEqual({
      'auth-session': 'https://a:1',
      'notification-config': 'https://n:2',
      'webhook-dispatcher': 'https://w:3',
      portal: 'https://p:4/?a=b',
      'payment-simulator': 'https://core:5',
    });
    const rule =
      'SERVICES_PUBLIC_URLS must name auth-session, notification-config, webhook-dispatcher, portal, each as service=url';
    for (const wrong of ['portal', 'portal=p', 'shop=https://p:4', 'portal=https://p:4,shop=https://s:5'])
      expect(() => optionsOf({ SERVICES_PUBLIC_URLS: list(wrong) })).toThrow(rule);
    expect(() => optionsOf({ PORTAL_PUBLIC_URL: 'https://p:4' })).toThrow('set SERVICES_PUBLIC_URLS in its place');
  });
});
