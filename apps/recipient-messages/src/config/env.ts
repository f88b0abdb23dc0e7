import { eventsEnv } from '@paycode/events';
import { baseEnv, databaseEnv, defineEnv, internalCallsEnv } from '@paycode/service-runtime';
import type { SenderOptions } from '../senders/senders';

/** Environment of recipient-messages. */
export const env = defineEnv({
  ...baseEnv({ internal: 3106 }),
  ...databaseEnv,
  ...internalCallsEnv,
  ...eventsEnv,
  NOTIFICATION_CONFIG_URL: {
    type: 'url',
    default: 'http://127.0.0.1:3102',
    description: 'Internal base URL of notification-config, which knows the recipients.',
  },
  PUBLIC_BASE_URL: {
    tier: 'must',
    type: 'url',
    default: 'https://localhost:8443',
    description:
      'Base URL browsers reach the gateway at: the start of links to the portal, so that no caller chooses where they lead.',
  },
  PAYLOAD_KEYS: {
    tier: 'must',
    type: 'string',
    secret: true,
    description: 'Keys of sealed notifications, `kid:base64,kid:base64` of 32 bytes each; the first seals, all of them open.',
  },
  OUTBOX_FOLDER: {
    type: 'string',
    default: null,
    description:
      'Folder for the messages of a channel without a server, one file each, for people to open. Unset: that channel is off.',
  },
  EMAIL_FROM: { tier: 'must', type: 'string', default: 'no-reply@localhost', description: 'Sender address of e-mails.' },
  SMTP_URL: {
    tier: 'must',
    type: 'url',
    secret: true,
    default: null,
    description:
      'Mail server, `smtp://account:password@host:587`: STARTTLS is required; `smtps:` uses TLS from the first byte; `smtp://host?tls=off` is for a relay on the same host. Letters of account and password that a URL reserves are percent-encoded.',
  },
  MESSAGES_CA_FILE: {
    type: 'string',
    default: null,
    description: 'PEM file of certificate authorities trusted for these servers in addition to the built-in ones.',
  },
  SMS_URL: {
    type: 'url',
    secret: true,
    default: null,
    description:
      'Where short messages go: an SMSC (SMPP 3.4), `smpps://account:password@host:3550` or without TLS `smpp:`; or an HTTP gateway that accepts `{from, to, text, reference}` as JSON, `https://:token@host/path` with its bearer token.',
  },
  SMS_SENDER: {
    type: 'string',
    default: 'Paycode',
    description: 'Sender of short messages: a number, or up to 11 letters and digits.',
  },
});

export type Settings = ReturnType<typeof env.read>;

/** The settings, as senders take them. */
export function senderOptionsOf(settings: Settings): SenderOptions {
  return {
    email: { from: settings.EMAIL_FROM, url: settings.SMTP_URL },
    sms: { from: settings.SMS_SENDER, url: settings.SMS_URL },
    outboxFolder: settings.OUTBOX_FOLDER,
    caFile: settings.MESSAGES_CA_FILE,
  };
}
