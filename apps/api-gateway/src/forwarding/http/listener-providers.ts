import type { Provider } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import type { GatewayEnv } from '../../config/env';
import { GatewayMetrics } from '../../telemetry';
import { CertificateFiles } from '../../tls';
import { AnswerRequest } from './answer-request';
import { TrustedProxies } from './client-address';
import { ConnectionGate } from './connection-gate';
import { PlainListener } from './plain-listener.service';
import { PublicListener, type PublicListenerSettings } from './public-listener.service';

type ListenerParts = [AnswerRequest, TrustedProxies, GatewayMetrics, Logger];

/** The inbound side: who is a trusted proxy, the TLS listener behind its gate, the port that refuses plain HTTP. */
export function listenerProviders(env: GatewayEnv): Provider[] {
  return [
    { provide: TrustedProxies, useFactory: () => new TrustedProxies(env.TRUSTED_PROXIES) },
    {
      provide: PublicListener,
      inject: [AnswerRequest, TrustedProxies, GatewayMetrics, LOGGER],
      useFactory: (...[answerRequest, proxies, metrics, logger]: ListenerParts) => {
        const gate = gateOf(env, proxies, metrics);
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

function gateOf(env: GatewayEnv, proxies: TrustedProxies, metrics: GatewayMetrics): ConnectionGate {
  return new ConnectionGate({
    firstByteTimeoutMs: env.HEADERS_TIMEOUT_MS,
    addressConnectionsMax: env.ADDRESS_CONNECTIONS_MAX,
    isTrustedProxy: address => proxies.includes(address),
    onRefused: reason => metrics.connectionRefused(reason),
  });
}

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
