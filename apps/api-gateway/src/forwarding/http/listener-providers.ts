import type { Provider } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import type { GatewayEnv } from '../../config/env';
import { type ConnectionRefusal, GatewayMetrics } from '../../telemetry';
import { CertificateFiles } from '../../tls';
import { AnswerRequest } from './answer-request';
import { TrustedProxies } from './client-address';
import { ClientAddresses } from './client-addresses';
import { ConnectionGate } from './connection-gate';
import { PlainListener } from './plain-listener';
import { PublicListener, type PublicListenerSettings } from './public-listener';

type ListenerParts = [AnswerRequest, ClientAddresses, GatewayMetrics, Logger];

/** The inbound side: who is a trusted proxy, the TLS listener behind its gate, the port that refuses plain HTTP. */
export function listenerProviders(env: GatewayEnv): Provider[] {
  return [
    { provide: ClientAddresses, useFactory: () => clientAddressesOf(env) },
    {
      provide: PublicListener,
      inject: [AnswerRequest, ClientAddresses, GatewayMetrics, LOGGER],
      useFactory: (...[answerRequest, addresses, metrics, logger]: ListenerParts) => {
        const gate = gateOf(env, { addresses, metrics, logger });
        return new PublicListener(settingsOf(env), { certificates: certificatesOf(env), gate, answerRequest, metrics, logger });
      },
    },
    {
      provide: PlainListener,
      inject: [GatewayMetrics],
      useFactory: (metrics: GatewayMetrics) => new PlainListener({ host: env.LISTEN_HOST, port: env.PLAIN_HTTP_PORT }, metrics),
    },
  ];
}

function clientAddressesOf(env: GatewayEnv): ClientAddresses {
  const forwarders = new TrustedProxies(env.TRUSTED_PROXIES, 'TRUSTED_PROXIES');
  return new ClientAddresses(forwarders, new TrustedProxies(env.PROXY_PROTOCOL_FROM, 'PROXY_PROTOCOL_FROM'));
}

interface GateParts {
  addresses: ClientAddresses;
  metrics: GatewayMetrics;
  logger: Logger;
}

function gateOf(env: GatewayEnv, { addresses, metrics, logger }: GateParts): ConnectionGate {
  const settings = {
    firstByteTimeoutMs: env.HEADERS_TIMEOUT_MS,
    addressConnectionsMax: env.ADDRESS_CONNECTIONS_MAX,
    onRefused: (reason: ConnectionRefusal) => metrics.connectionRefused(reason),
    onSharedAddress: (address: string) => logger.warn({ event: 'clients-share-one-address', address }, sharedAddress),
  };
  return new ConnectionGate(settings, addresses);
}

const sharedAddress =
  'nearly all clients connect from one private address: limits, source rules and the audit log use the address of a proxy; ' +
  'let it speak the PROXY protocol and name it in PROXY_PROTOCOL_FROM, or name it in TRUSTED_PROXIES if it terminates TLS';

function certificatesOf(env: GatewayEnv): CertificateFiles {
  return new CertificateFiles({
    certFile: env.TLS_CERT_FILE,
    keyFile: env.TLS_KEY_FILE,
    minVersion: env.TLS_MIN_VERSION,
    reloadIntervalMs: env.TLS_RELOAD_INTERVAL_MS,
  });
}

function settingsOf(env: GatewayEnv): PublicListenerSettings {
  return {
    host: env.LISTEN_HOST,
    port: env.PUBLIC_PORT,
    headerBytesMax: env.HEADER_BYTES_MAX,
    headersTimeoutMs: env.HEADERS_TIMEOUT_MS,
    requestTimeoutMs: env.REQUEST_TIMEOUT_MS,
    idleTimeoutMs: env.IDLE_TIMEOUT_MS,
    connectionsMax: env.CONNECTIONS_MAX,
  };
}
