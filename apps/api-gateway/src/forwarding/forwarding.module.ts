import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { LOGGER } from '@paycode/service-runtime';
import type { GatewayEnv } from '../config/env';
import { RateLimits } from '../limits';
import { GatewayMetrics } from '../telemetry';
import { ForwardRequest } from './forward-request';
import { Authorizer, Upstreams } from './forwarding.ports';
import { AnswerRequest } from './http/answer-request';
import { ClientAddresses } from './http/client-addresses';
import { ListenersLifecycle } from './http/listeners-lifecycle';
import { listenerProviders } from './http/listener-providers';
import { clientProviders } from './clients/client-providers';

/** Wires the use case between the public listener and the services. */
@Module({})
export class ForwardingModule {
  static register(env: GatewayEnv): DynamicModule {
    return {
      module: ForwardingModule,
      providers: [
        GatewayMetrics,
        ...clientProviders(env),
        ...useCaseProviders(env),
        ...listenerProviders(env),
        ListenersLifecycle,
      ],
    };
  }
}

function useCaseProviders(env: GatewayEnv): Provider[] {
  const rates = new RateLimits({
    addressPerS: env.ADDRESS_RATE_PER_S,
    addressBurst: env.ADDRESS_RATE_BURST,
    credentialPerS: env.CREDENTIAL_RATE_PER_S,
    credentialBurst: env.CREDENTIAL_RATE_BURST,
  });
  const limits = { bodyBytesMax: env.BODY_BYTES_MAX, inFlightMax: env.IN_FLIGHT_MAX };
  return [
    {
      provide: ForwardRequest,
      inject: [Authorizer, Upstreams],
      useFactory: (authorizer: Authorizer, upstreams: Upstreams) => new ForwardRequest(authorizer, upstreams, rates, limits),
    },
    {
      provide: AnswerRequest,
      inject: [ForwardRequest, ClientAddresses, GatewayMetrics, LOGGER],
      useFactory: (...parts: ConstructorParameters<typeof AnswerRequest>) => new AnswerRequest(...parts),
    },
  ];
}
