import type { Provider } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { GatewayMetrics } from '../../telemetry';
import { CertificateFiles } from '../../tls';
import type { ForwardingOptions } from '../forwarding-options';
import { AnswerBuffers } from './answer-buffers';
import { AnswerRequest } from './answer-request';
import { TrustedProxies } from './client-address';
import { ClientAddresses } from './client-addresses';
import { ConnectionGate } from './connection-gate';
import { GateReports } from './gate-reports';
import { OpenBodies } from './open-bodies';
import { PlainListener } from './plain-listener';
import { PublicListener } from './public-listener';
import { RequestReader } from './read-request';
import { ListenerParts } from './listener-parts';

/** The inbound side: who is a trusted proxy, the TLS listener behind its gate, the port that refuses plain HTTP. */
export function listenerProviders({
  proxies,
  gate,
  certificate,
  listener,
  plain,
  openBodies,
  services,
}: ForwardingOptions): Provider[] {
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
    ListenerParts,
    {
      provide: PublicListener,
      inject: [ListenerParts],
      useFactory: (parts: ListenerParts) => new PublicListener(listener, parts),
    },
    {
      provide: PlainListener,
      inject: [GatewayMetrics],
      useFactory: (metrics: GatewayMetrics) => new PlainListener(plain, metrics),
    },
  ];
}

function clientAddressesOf({ forwarders, relays }: ForwardingOptions['proxies']): ClientAddresses {
  return new ClientAddresses(
    new TrustedProxies(forwarders, 'TRUSTED_PROXIES'),
    new TrustedProxies(relays, 'PROXY_PROTOCOL_FROM'),
  );
}
