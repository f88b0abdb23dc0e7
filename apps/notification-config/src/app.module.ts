import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  IdentityModule,
  InternalClient,
  MerchantTenants,
  ServiceTokenModule,
  ServiceTokenSigner,
  tokenKeyOptionsOf,
} from '@paycode/access';
import { connectionOptionsOf, DatabaseModule, migrateDatabase } from '@paycode/persistence';
import { OutboundGuard, outboundPolicyOf } from '@paycode/safe-http';
import { DataSource } from 'typeorm';
import { insertOnly, migrations } from '../migrations';
import { CellMapService } from './cells/cell-map.service';
import { CellMapStore } from './cells/cell-map.store';
import { CellsController } from './cells/cells.controller';
import { HandOverNoticesJob, NOTICE_CLIENTS, type NoticeClients } from './change-notices/hand-over-notices.job';
import { type NotificationConfigEnv, env } from './config/env';
import { entities, MerchantEntity } from './entities';
import { MerchantReader } from './merchants/merchant-reader';
import { MerchantsController } from './merchants/merchants.controller';
import { MerchantStore, MerchantsService } from './merchants/merchants.service';
import { PortalMerchantsController } from './merchants/portal-merchants.controller';
import { ClientAuthority } from './notifications/client-authority';
import { ConfigurationStore } from './notifications/configuration.store';
import { EncryptedProbeService } from './notifications/encrypted-probe.service';
import { NotificationOperationsController } from './notifications/notification-operations.controller';
import { NotificationsController } from './notifications/notifications.controller';
import { NotificationsService } from './notifications/notifications.service';
import { PortalNotificationsController } from './notifications/portal-notifications.controller';
import { PortalReader } from './notifications/portal-reader';
import { ReceiverAccessService } from './notifications/receiver-access.service';
import { SendTestService, TEST_RULES } from './notifications/send-test.service';
import { ProbeBudget } from './probing/probe-budget';
import { UrlProbe, ValidateUrlService } from './probing/validate-url.service';
import { RouteLease } from './routes/route-lease';
import { RoutesController } from './routes/routes.controller';
import { RoutesService } from './routes/routes.service';
import { ResealKeysService, WebhookKeyStore } from './webhook-keys/reseal-keys.service';
import { WebhookKeysController } from './webhook-keys/webhook-keys.controller';
import { WebhookKeys } from './webhook-keys/webhook-keys';
import type { ServiceDefinition } from '@paycode/service-runtime';

/** Limits that are the same everywhere. Tests change some. */
export const notificationLimits = {
  /**
   * A dispatcher may start requests on a route for so long after it asked for it, so a change of URL or key is answered that much later:
   * a second is no wait for a person, and spares a busy dispatcher most of its questions.
   */
  routeLeaseMs: 1_000,
  /** Of a receiver's name, over all tries. */
  lookUpTimeoutMs: 5_000,
  /** R-2.6-1 gives the whole probe 10 s. A server that has not connected after 3 s would not either for a payment. */
  probe: { totalMs: 10_000, connectMs: 3_000, bodyBytesMax: 1_024 },
  /** Probes at once, and the time for one more (T-28): a person tries some times, a PSP moves all its merchants in hours. */
  probes: {
    merchant: { burst: 6, refillMs: 10_000 },
    /** 600 an hour. */
    caller: { burst: 60, refillMs: 6_000 },
    /** 120 a minute to one server, over all callers. */
    origin: { burst: 120, refillMs: 500 },
  },
};

const guardOf = (env: NotificationConfigEnv, limits: typeof notificationLimits) =>
  new OutboundGuard({ ...outboundPolicyOf(env), lookUpTimeoutMs: limits.lookUpTimeoutMs });

/** Merchants and their notification settings: URL and key, Email and SMS recipients. */
@Module({})
export class AppModule implements OnApplicationShutdown {
  constructor(@Inject(NOTICE_CLIENTS) private readonly clients: NoticeClients) {}

  static forRoot(env: NotificationConfigEnv, limits = notificationLimits): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceTokenModule.forRoot('notification-config', tokenKeyOptionsOf(env)),
        IdentityModule.forRoot('notification-config', { jwksUrl: `${env.AUTH_SESSION_URL}/internal/jwks` }),
        DatabaseModule.forRoot('notification-config', { ...connectionOptionsOf(env), migrations, entities, insertOnly }),
        TypeOrmModule.forFeature([MerchantEntity]),
      ],
      controllers: [
        CellsController,
        MerchantsController,
        NotificationsController,
        NotificationOperationsController,
        PortalMerchantsController,
        PortalNotificationsController,
        RoutesController,
        WebhookKeysController,
      ],
      providers: [
        CellMapService,
        CellMapStore,

        MerchantsService,
        MerchantStore,
        MerchantReader,
        NotificationsService,
        ConfigurationStore,
        ReceiverAccessService,
        EncryptedProbeService,

        PortalReader,
        { provide: MerchantTenants, useExisting: PortalReader },
        SendTestService,

        ValidateUrlService,
        RoutesService,

        ResealKeysService,
        WebhookKeyStore,

        HandOverNoticesJob,
        { provide: TEST_RULES, useValue: { isProduction: env.PAYCODE_ENVIRONMENT === 'production' } },
        { provide: WebhookKeys, useFactory: () => new WebhookKeys(env.KEY_ENCRYPTION_KEYS) },
        {
          provide: ClientAuthority,
          useFactory: () => new ClientAuthority({ certFile: env.OUTBOUND_CLIENT_CERT_FILE, caFile: env.OUTBOUND_CLIENT_CA_FILE }),
        },
        { provide: RouteLease, useFactory: () => new RouteLease(limits.routeLeaseMs) },
        { provide: UrlProbe, useFactory: () => new UrlProbe(guardOf(env, limits), limits.probe) },
        {
          provide: ProbeBudget,
          inject: [DataSource],
          useFactory: (source: DataSource) =>
            new ProbeBudget(source, { ...limits.probes, probeMsMax: limits.probe.totalMs + probeMarginMs }),
        },
        {
          provide: NOTICE_CLIENTS,
          inject: [ServiceTokenSigner],
          useFactory: (signer: ServiceTokenSigner): NoticeClients => ({
            mails: new InternalClient({
              baseUrl: env.RECIPIENT_MESSAGES_URL,
              audience: 'recipient-messages',
              signer,
              socketsMax: 2,
            }),
            owners: new InternalClient({ baseUrl: env.AUTH_SESSION_URL, audience: 'auth-session', signer, socketsMax: 2 }),
          }),
        },
      ],
    };
  }

  onApplicationShutdown(): void {
    for (const client of Object.values<InternalClient>({ ...this.clients })) client.close();
  }
}

/** Time for the probe's bookkeeping beyond the probe itself. */
const probeMarginMs = 5_000;

/** The service that `main.ts` and tests start. */
export const notificationConfigDefinition: ServiceDefinition<typeof env.schema> = {
  name: 'notification-config',
  env,
  module: values => AppModule.forRoot(values),
  hasPublicPaths: true,
  migrate: migrateDatabase('notification-config', { insertOnly, migrations }),
};
