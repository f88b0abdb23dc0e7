import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { RateLimits } from '../limits';
import { RelayEndpoints, Relays } from '../relay';
import { Site } from '../site';
import { GatewayMetrics } from '../telemetry';
import { clientProviders } from './clients/client-providers';
import { ForwardRequest } from './forward-request';
import type { ForwardingOptions } from './forwarding-options';
import { Authorizer, Upstreams } from './forwarding.ports';
import { ListenersLifecycle } from './http/listeners-lifecycle';
import { listenerProviders } from './http/listener-providers';

/** Wires the use case between the public listener and the services. */
@Module({})
export class ForwardingModule {
  static register(options: ForwardingOptions): DynamicModule {
    return {
      module: ForwardingModule,
      providers: [
        GatewayMetrics,
        ...clientProviders(options.services),
        relayEndpoints(options),
        forwardRequest(options),
        ...listenerProviders(options),
        ListenersLifecycle,
      ],
    };
  }
}

/** A sender gives up after 45 seconds. A listener that was cut off is back within seconds, or will not come back in time. */
const relayTimes = { holdMs: 50_000, awayMs: 30_000, heartbeatMs: 5_000, streamMs: 300_000 };

/** None without a key. */
function relayEndpoints({ relayKey: key }: ForwardingOptions): Provider {
  const endpoints = key && new RelayEndpoints(new Relays({ key, ...relayTimes }));
  return { provide: RelayEndpoints, useValue: endpoints ?? null };
}

function forwardRequest({ rates, limits, siteFolder }: ForwardingOptions): Provider {
  const site = siteFolder === undefined ? null : new Site(siteFolder);
  return {
    provide: ForwardRequest,
    inject: [Authorizer, Upstreams, RelayEndpoints],
    useFactory: (authorizer: Authorizer, upstreams: Upstreams, relay: RelayEndpoints | null) =>
      new ForwardRequest({ authorizer, upstreams, relay, site }, new RateLimits(rates), limits),
  };
}
