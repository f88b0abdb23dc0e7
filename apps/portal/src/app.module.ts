import { join } from 'node:path';
import { type Abstract, type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { IdentityModule, type InternalClient, ServiceTokenModule, tokenKeyOptionsOf } from '@paycode/access';
import { KeyRing, PayloadSealer } from '@paycode/crypto';
import { ConsumingModule, DeadLettersModule, DeadLettersService, eventsOptionsOf } from '@paycode/events';
import { GuessStore, PostgresGuessStore } from '@paycode/guessing';
import { connectionOptionsOf, DatabaseModule } from '@paycode/persistence';
import { Clock, SystemClock } from '@paycode/timing';
import { insertOnly, migrations } from '../migrations';
import { AuditLog } from './audit/audit.ports';
import { PostgresAuditLog } from './audit/persistence/postgres-audit-log';
import type { Settings } from './config/env';
import { AuthSessionCalls } from './credentials/auth-session-calls';
import { BearerSwitchService, SwitchRules } from './credentials/bearer-switch.service';
import { CredentialsService } from './credentials/credentials.service';
import { BearerController } from './credentials/http/bearer.controller';
import { CredentialsController } from './credentials/http/credentials.controller';
import { TwoPersonSwitchService } from './credentials/two-person-switch.service';
import { entities } from './entities';
import { HttpFourEyesMailer } from './four-eyes/clients/http-four-eyes.mailer';
import { FourEyesMailer, FourEyesStore } from './four-eyes/four-eyes.ports';
import { FourEyesService } from './four-eyes/four-eyes.service';
import { FourEyesController } from './four-eyes/http/four-eyes.controller';
import { PostgresFourEyesStore } from './four-eyes/persistence/postgres-four-eyes.store';
import { TellSecondPeopleService } from './four-eyes/tell-second-people.service';
import { ClientSecrets } from './identity-providers/client-secrets';
import { HttpOpenIdClient } from './identity-providers/clients/http-open-id.client';
import { IdentityProvidersController } from './identity-providers/http/identity-providers.controller';
import { OpenIdClient, ProviderStore } from './identity-providers/identity-providers.ports';
import { PostgresProviderStore } from './identity-providers/persistence/postgres-provider.store';
import { ProviderRules, SetProviderService } from './identity-providers/set-provider.service';
import { Neighbours } from './neighbours';
import { ChangeNotificationsService } from './notifications/change-notifications.service';
import { NotificationsController } from './notifications/http/notifications.controller';
import { HttpDeadLetterCalls } from './on-call/clients/http-dead-letter-calls';
import { HttpMerchantCalls } from './on-call/clients/http-merchant-calls';
import { HttpOnCallCalls } from './on-call/clients/http-on-call-calls';
import { Dashboards } from './on-call/dashboards';
import { DeadLetterCalls } from './on-call/dead-letters.ports';
import { FindMerchantService } from './on-call/find-merchant.service';
import { DeadLettersController } from './on-call/http/dead-letters.controller';
import { OnCallMerchantsController } from './on-call/http/on-call-merchants.controller';
import { OnCallController } from './on-call/http/on-call.controller';
import { PausesController } from './on-call/http/pauses.controller';
import { MerchantCalls, OnCallCalls, OnCallReader } from './on-call/on-call.ports';
import { OnCallService } from './on-call/on-call.service';
import { PauseDeliveriesService } from './on-call/pause-deliveries.service';
import { PostgresOnCallReader } from './on-call/persistence/postgres-on-call-reader';
import { ReadLettersService } from './on-call/read-letters.service';
import { RedriveLettersService } from './on-call/redrive-letters.service';
import { RedriveRules, TwoPeople } from './on-call/two-people';
import { PagesController } from './pages/http/pages.controller';
import { PageFiles } from './pages/page-files';
import { Ceremonies } from './passkeys/ceremonies';
import { PurgeChallengesJob } from './passkeys/jobs/purge-challenges.job';
import { PasskeyStore } from './passkeys/passkeys.ports';
import { PostgresPasskeyStore } from './passkeys/persistence/postgres-passkey.store';
import { WebAuthn } from './passkeys/web-authn';
import { HttpNotificationCalls } from './payments/clients/http-notification-calls';
import { HttpPaymentWitness } from './payments/clients/http-payment-witness';
import { PaymentEventsConsumer } from './payments/events/payment-events.consumer';
import { ExportPaymentsService } from './payments/export-payments.service';
import { FollowPaymentsService } from './payments/follow-payments.service';
import { HomeController } from './payments/http/home.controller';
import { NotificationController } from './payments/http/notification.controller';
import { PaymentChangesController } from './payments/http/payment-changes.controller';
import { PaymentsController } from './payments/http/payments.controller';
import { NotificationCalls, PaymentReader, PaymentWitness, PaymentWriter } from './payments/payments.ports';
import { PostgresPaymentReader } from './payments/persistence/postgres-payment-reader';
import { PostgresPaymentWriter } from './payments/persistence/postgres-payment-writer';
import { ReadNotificationService } from './payments/read-notification.service';
import { NOTIFICATION_SEALER, RecordPaymentsService } from './payments/record-payments.service';
import { ShowPaymentService } from './payments/show-payment.service';
import { HttpInvitationMailer } from './people/clients/http-invitation.mailer';
import { PeopleController } from './people/http/people.controller';
import { SandboxOnly } from './people/http/sandbox-only';
import { InvitePersonService, PORTAL_URL } from './people/invite-person.service';
import { Passwords } from './people/passwords';
import { InvitationMailer, PeopleStore } from './people/people.ports';
import { PostgresPeopleStore } from './people/persistence/postgres-people.store';
import { Totp } from './people/totp';
import { PurchaseNotificationsController } from './reconciliation/http/purchase-notifications.controller';
import { ListNotificationsService } from './reconciliation/list-notifications.service';
import { PostgresNotificationReader } from './reconciliation/persistence/postgres-notification-reader';
import { NotificationReader } from './reconciliation/reconciliation.ports';
import { SandboxController } from './sandbox/http/sandbox.controller';
import { SandboxCalls } from './sandbox/sandbox-calls';
import { SandboxLimits } from './sandbox/sandbox-limits';
import { SandboxEnvironment, SandboxService } from './sandbox/sandbox.service';
import { PORTAL_RULES, PortalGuard, type PortalRules } from './sessions/http/portal.guard';
import { SessionsController } from './sessions/http/sessions.controller';
import { PurgeSessionsJob } from './sessions/jobs/purge-sessions.job';
import { PostgresSessionStore } from './sessions/persistence/postgres-session.store';
import { SessionStore } from './sessions/sessions.ports';
import { ChoosePasswordService } from './sign-in/choose-password.service';
import { CurrentPassword } from './sign-in/current-password';
import { GuessingWatch } from './sign-in/guessing-watch';
import { PasskeysController } from './sign-in/http/passkeys.controller';
import { SecurityController } from './sign-in/http/security.controller';
import { ENVIRONMENT, SignInController } from './sign-in/http/sign-in.controller';
import { SsoController } from './sign-in/http/sso.controller';
import { InviteColleagueService } from './sign-in/invite-colleague.service';
import { OwnPasskeysService } from './sign-in/own-passkeys.service';
import { PasskeyGuesses } from './sign-in/passkey-guesses';
import { PasskeySignInService } from './sign-in/passkey-sign-in.service';
import { SecondFactorChanges } from './sign-in/second-factor-changes';
import { SecondFactorService } from './sign-in/second-factor.service';
import { SessionEnds } from './sign-in/session-ends';
import { SessionOpener } from './sign-in/session.opener';
import { SignInLimiter } from './sign-in/sign-in-limiter';
import { SignInService } from './sign-in/sign-in.service';
import { SsoPeople } from './sign-in/sso-people';
import { SsoSignInService } from './sign-in/sso-sign-in.service';
import { HttpMerchantDirectory } from './tenancy/clients/http-merchant.directory';
import { MerchantsController } from './tenancy/http/merchants.controller';
import { NotificationConfigCalls } from './tenancy/notification-config-calls';
import { MerchantDirectory } from './tenancy/tenancy.ports';

/** The web portal: people of merchants, PSPs, acquirers and of the platform see what became of payments, and set up notifications. */
@Module({})
export class AppModule {
  static forRoot(settings: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceTokenModule.forRoot('portal', tokenKeyOptionsOf(settings)),
        IdentityModule.forRoot('portal', { jwksUrl: `${settings.AUTH_SESSION_URL}/internal/jwks` }),
        DatabaseModule.forRoot('portal', { ...connectionOptionsOf(settings), migrations, entities, insertOnly }),
        DeadLettersModule,
        ConsumingModule.forRoot('portal', eventsOptionsOf(settings)),
      ],
      controllers: [
        PeopleController,
        IdentityProvidersController,
        SessionsController,
        SignInController,
        SecurityController,
        PasskeysController,
        SsoController,
        MerchantsController,
        PaymentEventsConsumer,
        PaymentsController,
        PaymentChangesController,
        NotificationController,
        HomeController,
        PurchaseNotificationsController,
        NotificationsController,
        CredentialsController,
        BearerController,
        FourEyesController,
        SandboxController,
        OnCallController,
        OnCallMerchantsController,
        DeadLettersController,
        PausesController,
        PagesController,
      ],
      providers: [
        { provide: AuditLog, useClass: PostgresAuditLog },
        { provide: Clock, useClass: SystemClock },
        Neighbours,
        ...callProviders(settings),
        ...signInProviders(settings),
        { provide: PaymentReader, useClass: PostgresPaymentReader },
        { provide: PaymentWriter, useClass: PostgresPaymentWriter },
        { provide: NOTIFICATION_SEALER, useFactory: () => new PayloadSealer(KeyRing.parse(settings.PAYLOAD_KEYS)) },
        RecordPaymentsService,
        ShowPaymentService,
        ExportPaymentsService,
        FollowPaymentsService,
        ReadNotificationService,
        { provide: NotificationReader, useClass: PostgresNotificationReader },
        ListNotificationsService,
        ChangeNotificationsService,
        CredentialsService,
        BearerSwitchService,
        TwoPersonSwitchService,
        { provide: SwitchRules, useFactory: () => new SwitchRules(isProduction(settings)) },
        { provide: FourEyesStore, useClass: PostgresFourEyesStore },
        TellSecondPeopleService,
        FourEyesService,
        { provide: SandboxEnvironment, useFactory: () => new SandboxEnvironment(settings.PAYCODE_ENVIRONMENT) },
        { provide: SandboxLimits, useFactory: () => new SandboxLimits(new SystemClock()) },
        SandboxService,
        { provide: RedriveRules, useFactory: () => new RedriveRules(isProduction(settings)) },
        { provide: OnCallReader, useClass: PostgresOnCallReader },
        { provide: Dashboards, useFactory: () => new Dashboards(settings.GRAFANA_URL) },
        OnCallService,
        FindMerchantService,
        ReadLettersService,
        TwoPeople,
        RedriveLettersService,
        PauseDeliveriesService,
        { provide: PageFiles, useFactory: () => new PageFiles(settings.WEB_FOLDER ?? join(__dirname, 'web')) },
      ],
    };
  }
}

const isProduction = ({ PAYCODE_ENVIRONMENT }: Settings): boolean => PAYCODE_ENVIRONMENT === 'production';

/** People, how they prove who they are, and their sessions. */
function signInProviders(settings: Settings): Provider[] {
  const { origin } = new URL(settings.PUBLIC_BASE_URL);
  const keys = () => KeyRing.parse(settings.KEY_ENCRYPTION_KEYS);
  const limits = { perPerson: settings.SIGN_IN_GUESSES_MAX, perAddress: settings.SIGN_IN_GUESSES_PER_ADDRESS_MAX };
  return [
    { provide: PeopleStore, useClass: PostgresPeopleStore },
    { provide: PORTAL_URL, useValue: `${origin}/console` },
    { provide: SandboxOnly, useFactory: () => new SandboxOnly(settings.PAYCODE_ENVIRONMENT) },
    { provide: Totp, useFactory: () => new Totp(keys()) },
    Passwords,
    InvitePersonService,
    { provide: PasskeyStore, useClass: PostgresPasskeyStore },
    { provide: Ceremonies, useFactory: () => new Ceremonies(keys()) },
    { provide: WebAuthn, useFactory: () => new WebAuthn(origin) },
    PurgeChallengesJob,
    { provide: ProviderStore, useClass: PostgresProviderStore },
    { provide: OpenIdClient, useFactory: () => new HttpOpenIdClient(`${origin}/console/sso`) },
    { provide: ClientSecrets, useFactory: () => new ClientSecrets(keys()) },
    { provide: ProviderRules, useFactory: () => new ProviderRules(settings.PAYCODE_ENVIRONMENT) },
    SetProviderService,
    { provide: SessionStore, useClass: PostgresSessionStore },
    { provide: PORTAL_RULES, useValue: rulesOf(settings) },
    { provide: APP_GUARD, useClass: PortalGuard },
    PurgeSessionsJob,
    { provide: GuessStore, useClass: PostgresGuessStore },
    GuessingWatch,
    {
      provide: SignInLimiter,
      inject: [GuessStore, GuessingWatch],
      useFactory: (store: GuessStore, watch: GuessingWatch) => new SignInLimiter(store, watch, limits),
    },
    { provide: ENVIRONMENT, useValue: settings.PAYCODE_ENVIRONMENT },
    SessionEnds,
    SessionOpener,
    SignInService,
    SecondFactorService,
    ChoosePasswordService,
    CurrentPassword,
    InviteColleagueService,
    PasskeyGuesses,
    PasskeySignInService,
    OwnPasskeysService,
    SecondFactorChanges,
    SsoPeople,
    SsoSignInService,
  ];
}

function rulesOf(settings: Settings): PortalRules {
  return {
    origin: new URL(settings.PUBLIC_BASE_URL).origin,
    idleS: settings.BROWSER_SESSION_IDLE_S,
    lifetimeS: settings.BROWSER_SESSION_MAX_S,
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

/** What calls the other services. */
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
      inject: [NotificationConfigCalls],
      useFactory: ({ client }: NotificationConfigCalls) => new HttpMerchantDirectory(client),
    },
    called(MAIL_CLIENT, to => to.client({ ...recipientMessages, socketsMax: 2, isRepeatable: true })),
    {
      provide: InvitationMailer,
      inject: [MAIL_CLIENT],
      useFactory: (client: InternalClient) => new HttpInvitationMailer(client),
    },
    {
      provide: FourEyesMailer,
      inject: [MAIL_CLIENT],
      useFactory: (client: InternalClient) => new HttpFourEyesMailer(client),
    },
    called(AuthSessionCalls, to => new AuthSessionCalls(to.client({ ...authSession, socketsMax: 4 }))),
    called(
      PaymentWitness,
      to => new HttpPaymentWitness(to.client({ ...dispatcher, ...payments }), to.client({ ...scheduler, ...payments })),
    ),
    called(NotificationCalls, to => new HttpNotificationCalls(to.client({ ...dispatcher, ...payments }))),
    called(
      SandboxCalls,
      to => new SandboxCalls(to.client({ ...simulator, socketsMax: 4 }), to.client({ ...dispatcher, socketsMax: 4 })),
    ),
    called(
      OnCallCalls,
      to => new HttpOnCallCalls(to.client({ ...dispatcher, ...onCall }), to.client({ ...scheduler, ...onCall })),
    ),
    called(
      MerchantCalls,
      to =>
        new HttpMerchantCalls(
          to.client({ ...notificationConfig, ...onCall }),
          to.client({ ...authSession, ...onCall }),
          to.client({ ...dispatcher, ...onCall }),
        ),
    ),
    {
      provide: DeadLetterCalls,
      inject: [Neighbours, DeadLettersService],
      useFactory: (to: Neighbours, own: DeadLettersService) =>
        new HttpDeadLetterCalls(
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
