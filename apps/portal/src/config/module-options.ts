import type { IdentityProvidersOptions } from '../identity-providers';
import type { OnCallOptions } from '../on-call';
import type { PasskeysOptions } from '../passkeys';
import type { PaymentsOptions } from '../payments';
import type { PeopleOptions } from '../people';
import type { SessionsOptions } from '../sessions';
import type { SignInOptions } from '../sign-in';
import type { Settings } from './env';

/** The settings, as the modules take them. */
export function peopleOptionsOf(settings: Settings): PeopleOptions {
  return {
    environment: settings.PAYCODE_ENVIRONMENT,
    publicBaseUrl: settings.PUBLIC_BASE_URL,
    recipientMessagesUrl: settings.RECIPIENT_MESSAGES_URL,
    keyEncryptionKeys: settings.KEY_ENCRYPTION_KEYS,
  };
}

export function sessionsOptionsOf(settings: Settings): SessionsOptions {
  const isProduction = settings.PAYCODE_ENVIRONMENT === 'production';
  return {
    origin: new URL(settings.PUBLIC_BASE_URL).origin,
    idleS: settings.BROWSER_SESSION_IDLE_S,
    lifetimeS: settings.BROWSER_SESSION_MAX_S,
    // In the sandbox people may sign in with a password alone.
    isTotpDemanded: isProduction,
    isProduction,
  };
}

export function signInOptionsOf(settings: Settings): SignInOptions {
  return {
    environment: settings.PAYCODE_ENVIRONMENT,
    perPerson: settings.SIGN_IN_GUESSES_MAX,
    perAddress: settings.SIGN_IN_GUESSES_PER_ADDRESS_MAX,
  };
}

export function signInKeysOf(settings: Settings): PasskeysOptions & IdentityProvidersOptions {
  return {
    environment: settings.PAYCODE_ENVIRONMENT,
    publicBaseUrl: settings.PUBLIC_BASE_URL,
    keyEncryptionKeys: settings.KEY_ENCRYPTION_KEYS,
  };
}

export function paymentsOptionsOf(settings: Settings): PaymentsOptions {
  return {
    webhookDispatcherUrl: settings.WEBHOOK_DISPATCHER_URL,
    reversalSchedulerUrl: settings.REVERSAL_SCHEDULER_URL,
    payloadKeys: settings.PAYLOAD_KEYS,
  };
}

export function onCallOptionsOf(settings: Settings): OnCallOptions {
  return {
    webhookDispatcherUrl: settings.WEBHOOK_DISPATCHER_URL,
    reversalSchedulerUrl: settings.REVERSAL_SCHEDULER_URL,
    notificationConfigUrl: settings.NOTIFICATION_CONFIG_URL,
    authSessionUrl: settings.AUTH_SESSION_URL,
    grafanaUrl: settings.GRAFANA_URL,
    recipientMessagesUrl: settings.RECIPIENT_MESSAGES_URL,
    isProduction: settings.PAYCODE_ENVIRONMENT === 'production',
  };
}
