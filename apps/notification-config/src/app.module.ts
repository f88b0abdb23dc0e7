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
import { ChangeNoticeStore } from './change-notices/change-notice.store';
import { ChangeNoticeMailer, HandOverNoticesJob, OwnerNoticeMailer } from './change-notices/hand-over-notices.service';
import { OwnerNoticeStore } from './change-notices/owner-notice.store';
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
import { PortalNotificationsService, PortalReader } from './notifications/portal-notifications.service';
import { ReceiverAccessService } from './notifications/receiver-access.service';
import { SendTestService, TEST_RULES, TestReceivers } from './notifications/send-test.service';
import { ProbeBudget, type ProbeBudgetSettings } from './probing/probe-budget';
import { UrlProbe, ValidateUrlService } from './probing/validate-url.service';
import { RouteLease } from './routes/route-lease';
import { RoutesController } from './routes/routes.controller';
import { RouteStore, RoutesService } from './routes/routes.service';
import { ResealKeysService, WebhookKeyStore } from './webhook-keys/reseal-keys.service';
import { WebhookKeysController } from './webhook-keys/webhook-keys.controller';
import { WebhookKeys } from './webhook-keys/webhook-keys';
import type { ServiceDefinition } from '@paycode/service-runtime';

const NOTICE_CLIENTS = Symbol('NOTICE_CLIENTS');

interface NoticeClients {
  mails: InternalClient;
  /** auth-session, which knows who owns an account. */
  owners: InternalClient;
}

/** Merchants and their notification settings: URL and key, Email and SMS recipients. */
@Module({})
export class AppModule implements OnApplicationShutdown {
  constructor(@Inject(NOTICE_CLIENTS) private readonly clients: NoticeClients) {}

  static forRoot(env: NotificationConfigEnv): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceTokenModule.forRoot('notification-config', tokenKeyOptionsOf(env)),
        IdentityModule.forRoot('notification-config', { jwksUrl: `${env.AUTH_SESSION_URL}/internal/jwks` }),
        DatabaseModule.forRoot('notification-config', { ...connectionOptionsOf(env), migrations, entities, insertOnly }),
        TypeOrmModule.forFeature([MerchantEntity]),
      ],
      controllers: [
        MerchantsController,
        NotificationsController,
        NotificationOperationsController,
        PortalMerchantsController,
        PortalNotificationsController,
        RoutesController,
        WebhookKeysController,
      ],
      providers: [
        MerchantsService,
        MerchantStore,
        MerchantReader,
        NotificationsService,
        ConfigurationStore,
        ReceiverAccessService,
        EncryptedProbeService,
        PortalNotificationsService,
        PortalReader,
        { provide: MerchantTenants, useExisting: PortalReader },
        SendTestService,
        TestReceivers,
        ValidateUrlService,
        RoutesService,
        RouteStore,
        ResealKeysService,
        WebhookKeyStore,
        ChangeNoticeStore,
        OwnerNoticeStore,
        HandOverNoticesJob,
        { provide: TEST_RULES, useValue: { isProduction: env.PAYCODE_ENVIRONMENT === 'production' } },
        { provide: WebhookKeys, useFactory: () => new WebhookKeys(env.KEY_ENCRYPTION_KEYS) },
        {
          provide: ClientAuthority,
          useFactory: () => new ClientAuthority({ certFile: env.OUTBOUND_CLIENT_CERT_FILE, caFile: env.OUTBOUND_CLIENT_CA_FILE }),
        },
        { provide: RouteLease, useFactory: () => new RouteLease(env.ROUTE_LEASE_MS) },
        { provide: UrlProbe, useFactory: () => urlProbe(env) },
        {
          provide: ProbeBudget,
          inject: [DataSource],
          useFactory: (source: DataSource) => new ProbeBudget(source, budgetOf(env)),
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
        {
          provide: ChangeNoticeMailer,
          inject: [NOTICE_CLIENTS],
          useFactory: ({ mails }: NoticeClients) => new ChangeNoticeMailer(mails),
        },
        {
          provide: OwnerNoticeMailer,
          inject: [NOTICE_CLIENTS, ChangeNoticeMailer],
          useFactory: ({ owners }: NoticeClients, mailer: ChangeNoticeMailer) => new OwnerNoticeMailer(owners, mailer),
        },
      ],
    };
  }

  onApplicationShutdown(): void {
    for (const client of Object.values<InternalClient>({ ...this.clients })) client.close();
  }
}

const responseBytesMax = 1_024;
const hourMs = 3_600_000;
const minuteMs = 60_000;
/** Time for the probe's bookkeeping beyond the probe itself. */
const probeMarginMs = 5_000;

function urlProbe(env: NotificationConfigEnv): UrlProbe {
  const limits = { totalMs: env.PROBE_TIMEOUT_MS, connectMs: env.PROBE_CONNECT_TIMEOUT_MS, bodyBytesMax: responseBytesMax };
  return new UrlProbe(new OutboundGuard(outboundPolicyOf(env)), limits);
}

function budgetOf(env: NotificationConfigEnv): ProbeBudgetSettings {
  return {
    merchant: { burst: env.PROBES_PER_MERCHANT_BURST, refillMs: env.PROBES_PER_MERCHANT_INTERVAL_MS },
    caller: { burst: env.PROBES_PER_CALLER_BURST, refillMs: hourMs / env.PROBES_PER_CALLER_PER_HOUR },
    origin: { burst: env.PROBES_PER_ORIGIN_PER_MINUTE, refillMs: minuteMs / env.PROBES_PER_ORIGIN_PER_MINUTE },
    probeMsMax: env.PROBE_TIMEOUT_MS + probeMarginMs,
  };
}

/** The service that `main.ts` and tests start. */
export const notificationConfigDefinition: ServiceDefinition<typeof env.schema> = {
  name: 'notification-config',
  env,
  module: values => AppModule.forRoot(values),
  hasPublicPaths: true,
  migrate: migrateDatabase('notification-config', { insertOnly, migrations }),
};
