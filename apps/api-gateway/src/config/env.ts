import { requestLimits } from '@paycode/dto';
import { baseEnv, defineEnv, type EnvOf, serviceTokenEnv, tlsVersions } from '@paycode/service-runtime';

/** Environment of the gateway: addresses of the services, its certificate, and limits. The gateway owns no data. */
export const gatewayEnv = defineEnv({
  ...baseEnv({ internal: 3100, public: 8443 }),
  ...serviceTokenEnv,
  TLS_CERT_FILE: {
    tier: 'must',
    type: 'string',
    description: 'PEM file with the certificate chain of the public listener; reloaded when it changes.',
  },
  TLS_KEY_FILE: {
    tier: 'must',
    type: 'string',
    description: 'PEM file with the private key of the certificate; reloaded when it changes.',
  },
  TLS_MIN_VERSION: {
    type: 'enum',
    values: tlsVersions,
    default: 'TLSv1.2',
    description: 'Oldest TLS version that is accepted; TLSv1.3: no other (A-81).',
  },
  PLAIN_HTTP_PORT: {
    type: 'integer',
    default: null,
    max: 65_535,
    description: 'Port that refuses every plain-HTTP request with a JSON answer (R-1-9). Not opened when unset.',
  },
  AUTH_SESSION_URL: {
    type: 'url',
    default: 'http://127.0.0.1:3101',
    description: 'Internal listener of auth-session, asked once per request.',
  },
  AUTH_SESSION_PUBLIC_URL: {
    type: 'url',
    default: 'http://127.0.0.1:3201',
    description: 'Serves /authentication/.',
  },
  NOTIFICATION_CONFIG_PUBLIC_URL: {
    type: 'url',
    default: 'http://127.0.0.1:3202',
    description: 'Serves /portal/restful/merchant/notification/.',
  },
  WEBHOOK_DISPATCHER_PUBLIC_URL: {
    type: 'url',
    default: 'http://127.0.0.1:3203',
    description: 'Serves /pluto/purchase/notification/.',
  },
  PAYMENT_SIMULATOR_PUBLIC_URL: {
    tier: 'must',
    type: 'url',
    default: 'http://127.0.0.1:3205',
    description:
      'Serves /pluto/code/, /pluto/remote/ and /public/: the simulator in the sandbox, the payment core in production.',
  },
  PORTAL_PUBLIC_URL: {
    type: 'url',
    default: 'http://127.0.0.1:3207',
    description: 'Serves /console/: pages and calls of the web portal.',
  },
  SANDBOX_RELAY_KEY: {
    type: 'string',
    secret: true,
    default: null,
    description:
      'In a sandbox with one gateway: 32 bytes in base64, from which the URLs are made that `paycode-dev listen` receives at. Unset, as in production: there are none (A-78).',
  },
  SITE_FOLDER: {
    type: 'string',
    default: null,
    description:
      'Folder of the documentation that `npm run generate -- site` builds, served at /docs/ to everyone. Unset: there is none (A-90).',
  },
  TRUSTED_PROXIES: {
    type: 'list',
    default: [],
    description: 'Addresses or CIDR ranges of proxies whose X-Forwarded-For is trusted (T-26). Empty: none is trusted.',
  },
  PROXY_PROTOCOL_FROM: {
    type: 'list',
    default: [],
    description:
      'Addresses or CIDR ranges of proxies that pass TLS through and begin each connection with a header of the PROXY protocol, version 1 or 2, ' +
      'which names the client (T-30). Without the header their connections are closed; other clients may not send one.',
  },
  ADDRESS_RATE_PER_S: {
    type: 'integer',
    default: requestLimits.addressPerS,
    description: 'Requests per second of one client address, twice as many at once; 0 sets no limit.',
  },
  CREDENTIAL_RATE_PER_S: {
    type: 'integer',
    default: requestLimits.accountPerS,
    description:
      'Requests per second of one account, over all its credentials and sessions, twice as many at once; 0 sets no limit.',
  },
});

export type GatewayEnv = EnvOf<typeof gatewayEnv.schema>;
