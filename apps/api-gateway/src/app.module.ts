import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { InternalClient, keyFileRefusals, ServiceTokenSigner } from '@paycode/access';
import { LOGGER, type Logger, MutualTls, type ServiceDefinition } from '@paycode/service-runtime';
import { type GatewayEnv, gatewayEnv } from './config/env';
import { type ForwardingOptions, forwardingOptionsOf, type ServicesOptions } from './config/forwarding-options';
import { AuthorizerClient } from './forwarding/authorizer.client';
import { ForwardRequest } from './forwarding/forward-request';
import { UpstreamClient } from './forwarding/upstream.client';
import { GatewayMetrics } from './gateway-metrics';
import { AccountUse, RateLimits, showUse } from './limits/rate-limits';
import { CertificateFiles } from './listener/certificate-files';
import { ClientAddresses, TrustedProxies } from './listener/client-addresses';
import { ConnectionGate, GateReports } from './listener/connection-gate';
import { PlainListener } from './listener/plain-listener';
import { ListenersLifecycle, PublicListener } from './listener/public-listener';
import { RelayEndpoints } from './relay/relay-endpoints';
import { Relays } from './relay/relays';
import { AnswerBuffers } from './requests/answer-buffers';
import { AnswerRequest } from './requests/answer-request';
import { OpenBodies } from './requests/open-bodies';
import { RequestReader } from './requests/read-request';
import { Site } from './site/site';

/** The use case between the public listener and the services. */
@Module({})
export class AppModule {
  static forRoot(env: GatewayEnv): DynamicModule {
    return AppModule.register(forwardingOptionsOf(env));
  }

  static register(options: ForwardingOptions): DynamicModule {
    return {
      module: AppModule,
      providers: [
        GatewayMetrics,
        ...clientProviders(options.services),
        relayEndpoints(options),
        forwardRequest(options),
        ...requestProviders(options),
        ...listenerProviders(options),
        ListenersLifecycle,
      ],
    };
  }
}

/** The outbound side: auth-session's internal listener and the public listeners of the services. */
function clientProviders(options: ServicesOptions): Provider[] {
  return [
    {
      provide: AuthorizerClient,
      inject: [LOGGER],
      useFactory: (logger: Logger) => new AuthorizerClient(authSessionClient(options, logger)),
    },
    {
      provide: UpstreamClient,
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
    inject: [AuthorizerClient, UpstreamClient, RelayEndpoints, LOGGER],
    useFactory: (...parts: ForwardRequestParts) => {
      const [authorizer, upstreams, relay, logger] = parts;
      return new ForwardRequest(authorizer, upstreams, relay, site, new RateLimits(rates, accountUse(logger)), limits);
    },
  };
}

type ForwardRequestParts = [AuthorizerClient, UpstreamClient, RelayEndpoints | null, Logger];

function accountUse(logger: Logger): AccountUse {
  const use = new AccountUse((account, share) => {
    const fields = { event: 'account-near-limit', username: account, percent: Math.round(share * 100) };
    logger.warn(fields, 'an account used more than 80 % of its requests per second in the last minute');
  });
  showUse(use);
  return use;
}

/** From a request's first header to the end of its answer. */
function requestProviders({ listener, openBodies, services }: ForwardingOptions): Provider[] {
  return [
    {
      provide: OpenBodies,
      inject: [GatewayMetrics, LOGGER],
      useFactory: (metrics: GatewayMetrics, logger: Logger) => new OpenBodies(openBodies, metrics, logger),
    },
    {
      provide: AnswerBuffers,
      inject: [GatewayMetrics],
      useFactory: (metrics: GatewayMetrics) =>
        new AnswerBuffers({ idleTimeoutMs: listener.idleTimeoutMs, connectionsMax: services.connectionsMax }, metrics),
    },
    RequestReader,
    AnswerRequest,
  ];
}

/** The inbound side: the trusted proxies, the TLS listener behind its gate, the port that refuses plain HTTP. */
function listenerProviders({ proxies, gate, certificate, listener, plain }: ForwardingOptions): Provider[] {
  return [
    { provide: ClientAddresses, useFactory: () => clientAddressesOf(proxies) },
    GateReports,
    {
      provide: ConnectionGate,
      inject: [ClientAddresses, GateReports],
      useFactory: (addresses: ClientAddresses, reports: GateReports) => new ConnectionGate(gate, addresses, reports),
    },
    { provide: CertificateFiles, useFactory: () => new CertificateFiles(certificate) },
    {
      provide: PublicListener,
      inject: [CertificateFiles, ConnectionGate, AnswerRequest, GatewayMetrics, LOGGER],
      useFactory: (...parts: PublicListenerParts) => new PublicListener(listener, ...parts),
    },
    {
      provide: PlainListener,
      inject: [GatewayMetrics],
      useFactory: (metrics: GatewayMetrics) => new PlainListener(plain, metrics),
    },
  ];
}

type PublicListenerParts = [CertificateFiles, ConnectionGate, AnswerRequest, GatewayMetrics, Logger];

function clientAddressesOf({ forwarders, relays }: ForwardingOptions['proxies']): ClientAddresses {
  return new ClientAddresses(
    new TrustedProxies(forwarders, 'TRUSTED_PROXIES'),
    new TrustedProxies(relays, 'PROXY_PROTOCOL_FROM'),
  );
}

/** The gateway opens its public TLS listener itself; the runtime gives it the internal one (health, metrics). */
export const gatewayDefinition: ServiceDefinition<typeof gatewayEnv.schema> = {
  name: 'api-gateway',
  env: gatewayEnv,
  module: env => AppModule.forRoot(env),
  hasPublicPaths: false,
};
