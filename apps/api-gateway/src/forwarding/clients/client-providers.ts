import type { Provider } from '@nestjs/common';
import { InternalClient, keyFileRefusals, ServiceTokenSigner } from '@paycode/access';
import { LOGGER, type Logger, MutualTls } from '@paycode/service-runtime';
import type { GatewayEnv } from '../../config/env';
import { Authorizer, Upstreams } from '../forwarding.ports';
import { AuthorizerClient } from './authorizer.client';
import { UpstreamClient } from './upstream.client';

/** The outbound side: auth-session's internal listener and the public listeners of the services. */
export function clientProviders(env: GatewayEnv): Provider[] {
  return [
    {
      provide: Authorizer,
      inject: [LOGGER],
      useFactory: (logger: Logger) => new AuthorizerClient(authSessionClient(env, logger)),
    },
    {
      provide: Upstreams,
      inject: [LOGGER],
      useFactory: (logger: Logger) =>
        new UpstreamClient({
          origins: originsOf(env),
          mutualTls: MutualTls.ofEnv(env, keyFileRefusals(logger)),
          timeoutMs: env.UPSTREAM_TIMEOUT_MS,
          connectionsMax: env.UPSTREAM_CONNECTIONS_MAX,
        }),
    },
  ];
}

function authSessionClient(env: GatewayEnv, logger: Logger): InternalClient {
  return new InternalClient({
    baseUrl: env.AUTH_SESSION_URL,
    audience: 'auth-session',
    signer: new ServiceTokenSigner('api-gateway', {
      privateKeyFile: env.SERVICE_TOKEN_PRIVATE_KEY_FILE,
      servicePublicKeysFile: env.SERVICE_TOKEN_PUBLIC_KEYS_FILE,
      mutualTls: MutualTls.ofEnv(env, keyFileRefusals(logger)),
      onRefused: keyFileRefusals(logger),
    }),
    timeoutMs: env.AUTHORIZE_TIMEOUT_MS,
    socketsMax: env.UPSTREAM_CONNECTIONS_MAX,
    // A call of authorize changes nothing.
    isRepeatable: true,
  });
}

function originsOf(env: GatewayEnv) {
  return {
    'auth-session': env.AUTH_SESSION_PUBLIC_URL,
    'notification-config': env.NOTIFICATION_CONFIG_PUBLIC_URL,
    'webhook-dispatcher': env.WEBHOOK_DISPATCHER_PUBLIC_URL,
    'payment-simulator': env.PAYMENT_SIMULATOR_PUBLIC_URL,
  };
}
