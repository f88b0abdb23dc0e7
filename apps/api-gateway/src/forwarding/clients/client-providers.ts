import type { Provider } from '@nestjs/common';
import { InternalClient, keyFileRefusals, ServiceTokenSigner } from '@paycode/access';
import { LOGGER, type Logger, MutualTls } from '@paycode/service-runtime';
import type { ServicesOptions } from '../forwarding-options';
import { Authorizer, Upstreams } from '../forwarding.ports';
import { AuthorizerClient } from './authorizer.client';
import { UpstreamClient } from './upstream.client';

/** The outbound side: auth-session's internal listener and the public listeners of the services. */
export function clientProviders(options: ServicesOptions): Provider[] {
  return [
    {
      provide: Authorizer,
      inject: [LOGGER],
      useFactory: (logger: Logger) => new AuthorizerClient(authSessionClient(options, logger)),
    },
    {
      provide: Upstreams,
      inject: [LOGGER],
      useFactory: (logger: Logger) => {
        const { origins, upstreamTimeoutMs: timeoutMs, connectionsMax } = options;
        const mutualTls = MutualTls.ofFiles(options.mutualTls, keyFileRefusals(logger));
        return new UpstreamClient({ origins, mutualTls, timeoutMs, connectionsMax });
      },
    },
  ];
}

function authSessionClient(options: ServicesOptions, logger: Logger): InternalClient {
  const onRefused = keyFileRefusals(logger);
  const mutualTls = MutualTls.ofFiles(options.mutualTls, onRefused);
  return new InternalClient({
    baseUrl: options.authSessionUrl,
    audience: 'auth-session',
    signer: new ServiceTokenSigner('api-gateway', { ...options.tokenKeys, mutualTls, onRefused }),
    timeoutMs: options.authorizeTimeoutMs,
    socketsMax: options.connectionsMax,
    // A call of authorize changes nothing.
    isRepeatable: true,
  });
}
