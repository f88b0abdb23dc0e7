import type { Provider } from '@nestjs/common';
import { InternalClient, ServiceTokenSigner } from '@paycode/access';
import { KeyRing, PayloadSealer, WebhookKeySealer } from '@paycode/crypto';
import { isOurFault, OutboundGuard } from '@paycode/safe-http';
import { SystemClock } from '@paycode/timing';
import { PaymentTracing } from '@paycode/tracing';
import { HttpReversalSchedulerClient, ReversalScheduler } from '../arming/reversal-scheduler.client';
import { TracedReversalScheduler } from '../arming/tracing/traced-reversal-scheduler';
import { HandshakeGate } from '../posting/handshake-gate';
import { WebhookPoster } from '../posting/post-webhook';
import { TracedWebhookPoster } from '../posting/tracing/traced-webhook.poster';
import { UndiciWebhookClient } from '../posting/undici-webhook.client';
import { KeyRingWebhookSealer, WebhookSealer } from '../posting/webhook-sealer';
import { HttpRouteSourceClient, RouteSource } from '../routes/route-source.client';
import type { DispatcherOptions } from './dispatcher-options';

/** The outbound side of a dispatcher: the services that it asks, and the receivers. */
export function outboundProviders(options: DispatcherOptions): Provider[] {
  return [...serviceProviders(options.neighbours), ...receiverProviders(options)];
}

function serviceProviders({ reversalSchedulerUrl, notificationConfigUrl }: DispatcherOptions['neighbours']): Provider[] {
  return [
    {
      provide: ReversalScheduler,
      inject: [ServiceTokenSigner, PaymentTracing],
      useFactory: (signer: ServiceTokenSigner, tracing: PaymentTracing) => {
        const client = new InternalClient({ baseUrl: reversalSchedulerUrl, audience: 'reversal-scheduler', signer });
        const scheduler = new HttpReversalSchedulerClient(client);
        return tracing.isOn ? new TracedReversalScheduler(scheduler, tracing) : scheduler;
      },
    },
    {
      provide: RouteSource,
      inject: [ServiceTokenSigner],
      useFactory: (signer: ServiceTokenSigner) =>
        new HttpRouteSourceClient(
          new InternalClient({ baseUrl: notificationConfigUrl, audience: 'notification-config', signer }),
        ),
    },
  ];
}

function receiverProviders({ keys, outbound, window, handshakesPerSecond }: DispatcherOptions): Provider[] {
  return [
    { provide: WebhookSealer, useFactory: () => sealerOf(keys) },
    {
      provide: UndiciWebhookClient,
      useFactory: () => {
        // The attempt watches the budget itself and does not blame the receiver for a stall of this process. This limit only cleans
        // up.
        const connectTimeoutMs = window.connectBudgetMs + 2_000;
        const connect = new OutboundGuard(outbound).connector({ connectTimeoutMs });
        return new UndiciWebhookClient({ connect, isOurFault, clock: new SystemClock() });
      },
    },
    {
      provide: WebhookPoster,
      inject: [UndiciWebhookClient, PaymentTracing],
      useFactory: (poster: UndiciWebhookClient, tracing: PaymentTracing) =>
        tracing.isOn ? new TracedWebhookPoster(poster, tracing) : poster,
    },
    {
      provide: HandshakeGate,
      inject: [UndiciWebhookClient],
      useFactory: (poster: UndiciWebhookClient) => {
        const idleOf = (origin: string) => poster.idleOf(origin);
        const gate = new HandshakeGate(new SystemClock(), { handshakesPerSecond, idleOf });
        poster.onIdle(origin => gate.onIdle(origin));
        return gate;
      },
    },
  ];
}

function sealerOf({ payloadKeys, keyEncryptionKeys }: DispatcherOptions['keys']): WebhookSealer {
  const payloads = new PayloadSealer(KeyRing.parse(payloadKeys));
  return new KeyRingWebhookSealer(payloads, new WebhookKeySealer(KeyRing.parse(keyEncryptionKeys)));
}
