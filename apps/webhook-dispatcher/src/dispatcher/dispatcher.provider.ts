import { randomUUID } from 'node:crypto';
import type { FactoryProvider } from '@nestjs/common';
import { InternalClient, ServiceTokenSigner } from '@paycode/access';
import { KeyRing, PayloadSealer, WebhookKeySealer } from '@paycode/crypto';
import { PaymentTracing } from '@paycode/tracing';
import { DataSource } from 'typeorm';
import { SystemClock } from '@paycode/timing';
import { PostgresShardStore } from '@paycode/ownership';
import { userAgent } from '@paycode/safe-http';
import { HttpReversalSchedulerClient, TracedReversalScheduler } from '../arming';
import type { Settings } from '../config/env';
import { PostgresDeliveryStore } from '../deliveries';
import { PostgresInformationalStore } from '../informational';
import { HandshakeGate, KeyRingWebhookSealer, TracedWebhookPoster, UndiciWebhookClient } from '../posting';
import { HttpRouteSourceClient } from '../routes';
import { VerdictStore } from '../verdicts';
import { assembleDispatcher, type DispatcherSettings } from './assemble-dispatcher';
import { DISPATCHER } from './dispatcher.token';
import { PrometheusDeliveryMetrics } from './prometheus-delivery.metrics';

/** Short for a delivery, and long enough that about a dozen share a call under load. */
const spacingMs = 4;

type Parts = [
  DataSource,
  VerdictStore,
  ServiceTokenSigner,
  UndiciWebhookClient,
  HandshakeGate,
  PrometheusDeliveryMetrics,
  PaymentTracing,
];

/** The dispatcher of this process over real ports. */
export function dispatcherProvider(settings: Settings): FactoryProvider {
  return {
    provide: DISPATCHER,
    inject: [
      DataSource,
      VerdictStore,
      ServiceTokenSigner,
      UndiciWebhookClient,
      HandshakeGate,
      PrometheusDeliveryMetrics,
      PaymentTracing,
    ],
    useFactory: (...[dataSource, verdicts, signer, poster, gate, metrics, tracing]: Parts) => {
      const scheduler = new HttpReversalSchedulerClient(
        new InternalClient({ baseUrl: settings.REVERSAL_SCHEDULER_URL, audience: 'reversal-scheduler', signer }),
      );
      return assembleDispatcher(
        {
          clock: new SystemClock(),
          shards: new PostgresShardStore(dataSource),
          deliveries: new PostgresDeliveryStore(dataSource),
          verdicts,
          informational: new PostgresInformationalStore(dataSource),
          scheduler: tracing.isOn ? new TracedReversalScheduler(scheduler, tracing) : scheduler,
          routes: new HttpRouteSourceClient(
            new InternalClient({ baseUrl: settings.NOTIFICATION_CONFIG_URL, audience: 'notification-config', signer }),
          ),
          sealer: sealerOf(settings),
          poster: tracing.isOn ? new TracedWebhookPoster(poster, tracing) : poster,
          gate,
          connections: poster,
          metrics,
          showLoad: read => metrics.observe(read),
        },
        dispatcherSettingsOf(settings),
      );
    },
  };
}

function sealerOf(settings: Settings): KeyRingWebhookSealer {
  const payloads = new PayloadSealer(KeyRing.parse(settings.PAYLOAD_KEYS));
  return new KeyRingWebhookSealer(payloads, new WebhookKeySealer(KeyRing.parse(settings.KEY_ENCRYPTION_KEYS)));
}

function dispatcherSettingsOf(settings: Settings): DispatcherSettings {
  return {
    // Each start gets a new identity, because a restarted process does not know what its predecessor had in flight.
    replica: randomUUID(),
    shardLeaseMs: settings.DISPATCHER_SHARD_LEASE_MS,
    rules: { attemptsMax: settings.MAX_ATTEMPTS, dispatchWindowMs: settings.DISPATCH_WINDOW_MS },
    post: { ackWindowMs: settings.ACK_WINDOW_MS, connectBudgetMs: settings.CONNECT_BUDGET_MS, userAgent },
    slotsMax: settings.SOCKETS_MAX,
    heldMax: settings.HELD_MAX,
    spacingMs,
  };
}
