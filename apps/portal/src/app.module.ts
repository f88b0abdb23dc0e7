import { join } from 'node:path';
import { type Abstract, type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { browserSessionIdleS, IdentityModule, type InternalClient, ServiceTokenModule, tokenKeyOptionsOf } from '@paycode/access';
import { GuessStore, PostgresGuessStore } from '@paycode/access/guessing';
import { KeyRing, PayloadSealer } from '@paycode/crypto';
import {
  ConsumingModule,
  DeadLettersModule,
  DeadLettersService,
  eventsOptionsOf,
  EventsServer,
  EventTransport,
} from '@paycode/events';
import { connectionOptionsOf, DatabaseModule, migrateDatabase } from '@paycode/persistence';
import { Lifecycle, LOGGER, type Logger, type ServiceDefinition } from '@paycode/service-runtime';
import { Clock, SystemClock } from '@paycode/service-runtime/timing';
import { insertOnly, migrations, reader } from '../migrations';
import { AlertStore, DeviceStore } from './alerts/alert.store';
import { AlertsController } from './alerts/alerts.controller';
import { AlertsJob } from './alerts/alerts.job';
import { AlertMailer, AlertsService, CertificateCalls } from './alerts/alerts.service';
import { AuditLog } from './audit';
import { env, type Settings } from './config/env';
import { BearerController, CredentialsController } from './credentials/credentials.controller';
import { AuthSessionCalls, BearerSwitchService, CredentialsService } from './credentials/credentials.service';
import { entities } from './entities';
import { FourEyesController } from './four-eyes/four-eyes.controller';
import { FourEyesMailer, FourEyesService } from './four-eyes/four-eyes.service';
import { FourEyesStore } from './four-eyes/four-eyes.store';
import { HomeReader } from './home/home-reader';
import { HomeController, ReceiversController } from './home/home.controller';
import { ReceiversService } from './home/receivers.service';
import { ProviderStore } from './identity-providers/identity-provider.store';
import { IdentityProvidersController, SsoController } from './identity-providers/identity-providers.controller';
import { ClientSecrets, IdentityProvidersService } from './identity-providers/identity-providers.service';
import { OpenIdClient } from './identity-providers/open-id.client';
import { SsoService } from './identity-providers/sso.service';
import { MailedStatementStore } from './mailed-statements/mailed-statement.store';
import { MailedStatementsController } from './mailed-statements/mailed-statements.controller';
import { MailedStatementsJob } from './mailed-statements/mailed-statements.job';
import { MailedStatementsService } from './mailed-statements/mailed-statements.service';
import { Neighbours } from './neighbours';
import { NotificationsController } from './notifications/notifications.controller';
import { NotificationConfigCalls, NotificationsService } from './notifications/notifications.service';
import { FindMerchantService, MerchantCalls } from './on-call/find-merchant.service';
import { DeadLetterCalls, OnCallCalls } from './on-call/on-call-calls';
import { OnCallReader } from './on-call/on-call-reader';
import { DeadLettersController, OnCallController } from './on-call/on-call.controller';
import { GRAFANA_URL, OnCallService } from './on-call/on-call.service';
import { RedriveService } from './on-call/redrive.service';
import { OperatorRecoveryController, OwnerRecoveryController } from './owner-recovery/recovery.controller';
import { RecoveryService } from './owner-recovery/recovery.service';
import { RecoveryStore } from './owner-recovery/recovery.store';
import { PageFiles, PagesController } from './pages.controller';
import { PasskeyStore } from './passkeys/passkey.store';
import { PasskeysController } from './passkeys/passkeys.controller';
import { PasskeysService } from './passkeys/passkeys.service';
import { Ceremonies, WebAuthn } from './passkeys/web-authn';
import { PaymentViewStore } from './payment-views/payment-view.store';
import { PaymentViewsController } from './payment-views/payment-views.controller';
import { PaymentViewsService } from './payment-views/payment-views.service';
import { ExportPaymentsService } from './payments/export-payments.service';
import { FollowPaymentsService } from './payments/follow-payments.service';
import { NotificationCalls, PaymentCalls } from './payments/payment-calls';
import { PaymentEventsConsumer } from './payments/payment-events.consumer';
import { PaymentReader } from './payments/payment-reader';
import { PaymentWriter } from './payments/payment-writer';
import { PaymentsController } from './payments/payments.controller';
import { PaymentsService, ReadNotificationService } from './payments/payments.service';
import { NOTIFICATION_SEALER, RecordPaymentsService } from './payments/record-payments.service';
import { ColleaguesController, PeopleController } from './people/people.controller';
import { InvitationMailer, PeopleService } from './people/people.service';
import { PeopleStore } from './people/people.store';
import { Passwords, Totp } from './people/secrets';
import { ListNotificationsService } from './reconciliation/list-notifications.service';
import { NotificationStore } from './reconciliation/notification.store';
import { PurchaseNotificationsController } from './reconciliation/purchase-notifications.controller';
import { SandboxController } from './sandbox/sandbox.controller';
import { SandboxCalls, SandboxEnvironment, SandboxLimits, SandboxService } from './sandbox/sandbox.service';
import { PORTAL_RULES, PortalGuard, type PortalRules } from './sessions/portal.guard';
import { Proofs } from './sessions/proofs';
import { PAYMENTS_KEPT_MS, PurgeJob } from './sessions/purge.job';
import { SessionStore } from './sessions/session.store';
import { SessionsService } from './sessions/sessions.service';
import { ForgottenPasswordService } from './sign-in/forgotten-password.service';
import { OwnProofs, PasswordService } from './sign-in/password.service';
import { SecondFactorService } from './sign-in/second-factor.service';
import { SecurityController, SessionsController } from './sign-in/security.controller';
import { GuessingWatch, signInGuesses, SignInLimiter, type SignInRules } from './sign-in/sign-in-limiter';
import { SignInController } from './sign-in/sign-in.controller';
import { StatementStore } from './statements/statement.store';
import { StatementsController } from './statements/statements.controller';
import { StatementsService } from './statements/statements.service';
import { MerchantDirectory } from './tenancy/merchant.directory';
import { MerchantsController } from './tenancy/merchants.controller';
import { TillController } from './till/till.controller';
import { TillService } from './till/till.service';
import { TillStore } from './till/till.store';

/** The web portal: people of merchants, PSPs, acquirers and of the platform see what became of payments, and set up notifications. */
@Module({})
export class AppModule {
  static forRoot(settings: Settings, guesses = signInGuesses): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceTokenModule.forRoot('portal', tokenKeyOptionsOf(settings)),
        IdentityModule.forRoot('portal', { jwksUrl: `${settings.AUTH_SESSION_URL}/internal/jwks` }),
        DatabaseModule.forRoot('portal', { ...connectionOptionsOf(settings), migrations, entities, insertOnly, reader }),
        DeadLettersModule,
        ConsumingModule.forRoot('portal', eventsOptionsOf(settings)),
      ],
      controllers: [
        PeopleController,
        IdentityProvidersController,
        SessionsController,
        SignInController,
        SecurityController,
        ColleaguesController,
        OperatorRecoveryController,
        OwnerRecoveryController,
        PasskeysController,
        SsoController,
        MerchantsController,
        PaymentEventsConsumer,
        PaymentsController,
        PaymentViewsController,
        HomeController,
        ReceiversController,
        StatementsController,
        MailedStatementsController,
        AlertsController,
        PurchaseNotificationsController,
        NotificationsController,
        CredentialsController,
        BearerController,
        FourEyesController,
        SandboxController,
        TillController,
        OnCallController,
        DeadLettersController,
        PagesController,
      ],
      providers: [
        AuditLog,
        { provide: Clock, useClass: SystemClock },
        Neighbours,
        ...callProviders(settings),
        ...signInProviders(settings, guesses),
        PaymentReader,
        PaymentWriter,
        { provide: NOTIFICATION_SEALER, useFactory: () => new PayloadSealer(KeyRing.parse(settings.PAYLOAD_KEYS)) },
        RecordPaymentsService,
        PaymentsService,
        PaymentViewStore,
        PaymentViewsService,
        ReceiversService,
        HomeReader,
        ExportPaymentsService,
        FollowPaymentsService,
        ReadNotificationService,
        AlertStore,
        DeviceStore,
        AlertsService,
        AlertsJob,
        StatementStore,
        StatementsService,
        MailedStatementStore,
        MailedStatementsService,
        MailedStatementsJob,
        NotificationStore,
        ListNotificationsService,
        NotificationsService,
        CredentialsService,
        BearerSwitchService,
        FourEyesStore,
        FourEyesService,
        { provide: SandboxEnvironment, useFactory: () => new SandboxEnvironment(settings.PAYCODE_ENVIRONMENT) },
        { provide: SandboxLimits, useFactory: () => new SandboxLimits(new SystemClock()) },
        SandboxService,
        TillStore,
        TillService,
        OnCallReader,
        { provide: GRAFANA_URL, useValue: settings.GRAFANA_URL },
        OnCallService,
        FindMerchantService,
        RedriveService,
        { provide: PageFiles, useFactory: () => new PageFiles(join(__dirname, 'web')) },
      ],
    };
  }
}

const isProduction = ({ PAYCODE_ENVIRONMENT }: Settings): boolean => PAYCODE_ENVIRONMENT === 'production';

/** People, how they prove who they are, and their sessions. */
function signInProviders(settings: Settings, guesses: SignInRules): Provider[] {
  const { origin } = new URL(settings.PUBLIC_BASE_URL);
  const keys = () => KeyRing.parse(settings.KEY_ENCRYPTION_KEYS);
  return [
    PeopleStore,
    { provide: Totp, useFactory: () => new Totp(keys()) },
    Passwords,
    PeopleService,
    RecoveryStore,
    RecoveryService,
    PasskeyStore,
    { provide: Ceremonies, useFactory: () => new Ceremonies(keys()) },
    { provide: WebAuthn, useFactory: () => new WebAuthn(origin) },
    ProviderStore,
    { provide: OpenIdClient, useFactory: () => new OpenIdClient(`${origin}/console/sso`) },
    { provide: ClientSecrets, useFactory: () => new ClientSecrets(keys()) },
    IdentityProvidersService,
    SessionStore,
    { provide: PORTAL_RULES, useValue: rulesOf(settings) },
    { provide: APP_GUARD, useClass: PortalGuard },
    { provide: PAYMENTS_KEPT_MS, useValue: settings.RECORD_RETENTION_DAYS * 86_400_000 },
    PurgeJob,
    { provide: GuessStore, useClass: PostgresGuessStore },
    GuessingWatch,
    {
      provide: SignInLimiter,
      inject: [GuessStore, GuessingWatch],
      useFactory: (store: GuessStore, watch: GuessingWatch) => new SignInLimiter(store, watch, guesses),
    },
    SessionsService,
    OwnProofs,
    PasswordService,
    ForgottenPasswordService,
    SecondFactorService,
    PasskeysService,
    SsoService,
  ];
}

function rulesOf(settings: Settings): PortalRules {
  return {
    origin: new URL(settings.PUBLIC_BASE_URL).origin,
    idleS: browserSessionIdleS,
    // A working day with its breaks.
    lifetimeS: 43_200,
    // In the sandbox people may sign in with a password alone.
    isTotpDemanded: isProduction(settings),
    isProduction: isProduction(settings),
  };
}

/** A redrive of 50 dead letters is 50 turns of a handler; a browser waits longer than this. */
const redriveTimeoutMs = 25_000;
/** Longer than two probes of a test or the lease of a route take, shorter than the gateway waits. */
const notificationConfigTimeoutMs = 24_000;
/** A page is shown without what a service knows that does not answer in this time. */
const pageTimeoutMs = 3_000;

/** The connection to recipient-messages, which mails people. */
const MAIL_CLIENT = Symbol('MAIL_CLIENT');

/** Providers that call the other services. */
function callProviders(settings: Settings): Provider[] {
  const authSession = { audience: 'auth-session', baseUrl: settings.AUTH_SESSION_URL };
  const notificationConfig = { audience: 'notification-config', baseUrl: settings.NOTIFICATION_CONFIG_URL };
  const dispatcher = { audience: 'webhook-dispatcher', baseUrl: settings.WEBHOOK_DISPATCHER_URL };
  const scheduler = { audience: 'reversal-scheduler', baseUrl: settings.REVERSAL_SCHEDULER_URL };
  const recipientMessages = { audience: 'recipient-messages', baseUrl: settings.RECIPIENT_MESSAGES_URL };
  const simulator = { audience: 'payment-simulator', baseUrl: settings.PAYMENT_SIMULATOR_URL };
  const payments = { socketsMax: 4, timeoutMs: pageTimeoutMs };
  const onCall = { socketsMax: 2, timeoutMs: pageTimeoutMs };
  const redrive = { socketsMax: 2, timeoutMs: redriveTimeoutMs };
  return [
    called(
      NotificationConfigCalls,
      to => new NotificationConfigCalls(to.client({ ...notificationConfig, timeoutMs: notificationConfigTimeoutMs })),
    ),
    {
      provide: MerchantDirectory,
      inject: [NotificationConfigCalls, LOGGER],
      useFactory: ({ client }: NotificationConfigCalls, log: Logger) => new MerchantDirectory(client, log),
    },
    called(MAIL_CLIENT, to => to.client({ ...recipientMessages, socketsMax: 2, isRepeatable: true })),
    {
      provide: InvitationMailer,
      inject: [AuthSessionCalls, MAIL_CLIENT],
      useFactory: ({ client }: AuthSessionCalls, mails: InternalClient) => new InvitationMailer(client, mails),
    },
    {
      provide: AlertMailer,
      inject: [AuthSessionCalls, MAIL_CLIENT],
      useFactory: ({ client }: AuthSessionCalls, mails: InternalClient) => new AlertMailer(client, mails),
    },
    {
      provide: FourEyesMailer,
      inject: [MAIL_CLIENT],
      useFactory: (client: InternalClient) => new FourEyesMailer(client),
    },
    called(AuthSessionCalls, to => new AuthSessionCalls(to.client({ ...authSession, socketsMax: 4 }))),
    called(Proofs, to => new Proofs(to.client({ ...authSession, socketsMax: 4, timeoutMs: pageTimeoutMs, isRepeatable: true }))),
    called(
      PaymentCalls,
      to => new PaymentCalls(to.client({ ...dispatcher, ...payments }), to.client({ ...scheduler, ...payments })),
    ),
    called(CertificateCalls, to => new CertificateCalls(to.client({ ...dispatcher, ...onCall }))),
    called(NotificationCalls, to => new NotificationCalls(to.client({ ...dispatcher, ...payments }))),
    called(
      SandboxCalls,
      to => new SandboxCalls(to.client({ ...simulator, socketsMax: 4 }), to.client({ ...dispatcher, socketsMax: 4 })),
    ),
    called(OnCallCalls, to => new OnCallCalls(to.client({ ...dispatcher, ...onCall }), to.client({ ...scheduler, ...onCall }))),
    called(
      MerchantCalls,
      to =>
        new MerchantCalls(
          to.client({ ...notificationConfig, ...onCall }),
          to.client({ ...authSession, ...onCall }),
          to.client({ ...dispatcher, ...onCall }),
        ),
    ),
    {
      provide: DeadLetterCalls,
      inject: [Neighbours, DeadLettersService],
      useFactory: (to: Neighbours, own: DeadLettersService) =>
        new DeadLetterCalls(
          {
            'webhook-dispatcher': to.client({ ...dispatcher, ...redrive }),
            'reversal-scheduler': to.client({ ...scheduler, ...redrive }),
            'recipient-messages': to.client({ ...recipientMessages, ...redrive }),
          },
          own,
        ),
    },
  ];
}

function called(provide: Abstract<unknown> | symbol, useFactory: (to: Neighbours) => unknown): Provider {
  return { provide, inject: [Neighbours], useFactory };
}

/** The application that `main.ts` boots and tests start. */
export const portalDefinition: ServiceDefinition<typeof env.schema> = {
  name: 'portal',
  env,
  module: settings => AppModule.forRoot(settings),
  hasPublicPaths: true,
  migrate: migrateDatabase('portal', { insertOnly, migrations, reader }),
  events: app =>
    new EventsServer({ transport: app.get(EventTransport), log: app.get<Logger>(LOGGER), lifecycle: app.get(Lifecycle) }),
};
