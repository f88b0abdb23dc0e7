import type { Provider } from '@nestjs/common';
import { InternalClient, ServiceTokenSigner } from '@paycode/access';
import type { GatewayEnv } from '../../config/env';
import { Authorizer, Upstreams } from '../forwarding.ports';
import { AuthorizerClient } from './authorizer.client';
import { UpstreamClient } from './upstream.client';

/** The outbound side: auth-session's internal listener and the public listeners of the services. */
export function clientProviders(env: GatewayEnv): Provider[] {
  return [
    {
      provide: Authorizer,
      useFactory: () => new AuthorizerClient(authSessionClient(env)),
    },
    {
      provide: Upstreams,
      useFactory: () =>
        new UpstreamClient({
          origins: originsOf(env),
          timeoutMs: env.UPSTREAM_TIMEOUT_MS,
          connectionsMax: env.UPSTREAM_CONNECTIONS_MAX,
        }),
    },
  ];
}

function authSessionClient(env: GatewayEnv): InternalClient {
  return new InternalClient({
    baseUrl: env.AUTH_SESSION_URL,
    audience: 'auth-session',
    signer: new ServiceTokenSigner('api-gateway', env.SERVICE_TOKEN_SECRETS),
    timeoutMs: env.AUTHORIZE_TIMEOUT_MS,
    socketsMax: env.UPSTREAM_CONNECTIONS_MAX,
    // authorize only reads.
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
