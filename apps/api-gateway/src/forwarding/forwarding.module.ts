import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { RateLimits } from '../limits';
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
        forwardRequest(options),
        ...listenerProviders(options),
        ListenersLifecycle,
      ],
    };
  }
}

function forwardRequest({ rates, limits }: ForwardingOptions): Provider {
  return {
    provide: ForwardRequest,
    inject: [Authorizer, Upstreams],
    useFactory: (authorizer: Authorizer, upstreams: Upstreams) =>
      new ForwardRequest(authorizer, upstreams, new RateLimits(rates), limits),
  };
}
