import { type DynamicModule, Module } from '@nestjs/common';
import { IdentityModule, ServiceTokenModule, tokenKeyOptionsOf } from '@paycode/access';
import { ConsumingModule, DeadLettersModule, eventsOptionsOf } from '@paycode/events';
import { connectionOptionsOf, DatabaseModule } from '@paycode/persistence';
import { insertOnly, migrations } from '../migrations';
import { CredentialsModule } from './credentials';
import { AuditModule } from './audit';
import type { Settings } from './config/env';
import {
  onCallOptionsOf,
  paymentsOptionsOf,
  peopleOptionsOf,
  sessionsOptionsOf,
  signInKeysOf,
  signInOptionsOf,
} from './config/module-options';
import { entities } from './entities';
import { IdentityProvidersModule } from './identity-providers';
import { NotificationsModule } from './notifications';
import { OnCallModule } from './on-call';
import { PagesModule } from './pages';
import { PasskeysModule } from './passkeys';
import { PaymentsModule } from './payments';
import { PeopleModule } from './people';
import { ReconciliationModule } from './reconciliation';
import { SandboxModule } from './sandbox';
import { SessionsModule } from './sessions';
import { SignInModule } from './sign-in';
import { TenancyModule } from './tenancy';

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
        AuditModule,
        PeopleModule.register(peopleOptionsOf(settings)),
        PasskeysModule.register(signInKeysOf(settings)),
        IdentityProvidersModule.register(signInKeysOf(settings)),
        SessionsModule.register(sessionsOptionsOf(settings)),
        SignInModule.register(signInOptionsOf(settings)),
        TenancyModule.register({ notificationConfigUrl: settings.NOTIFICATION_CONFIG_URL }),
        PaymentsModule.register(paymentsOptionsOf(settings)),
        ReconciliationModule,
        NotificationsModule,
        CredentialsModule.register({
          authSessionUrl: settings.AUTH_SESSION_URL,
          isProduction: settings.PAYCODE_ENVIRONMENT === 'production',
        }),
        SandboxModule.register({
          environment: settings.PAYCODE_ENVIRONMENT,
          paymentSimulatorUrl: settings.PAYMENT_SIMULATOR_URL,
          webhookDispatcherUrl: settings.WEBHOOK_DISPATCHER_URL,
        }),
        OnCallModule.register(onCallOptionsOf(settings)),
        PagesModule.register({ folder: settings.WEB_FOLDER }),
      ],
    };
  }
}
