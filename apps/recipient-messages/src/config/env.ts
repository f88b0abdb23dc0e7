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
      'Folder for the messages of a channel without a server below, one file each, for people to open. Unset: that channel is off.',
  },
  EMAIL_FROM: { tier: 'must', type: 'string', default: 'no-reply@localhost', description: 'Sender address of e-mails.' },
  SMTP_HOST: { tier: 'must', type: 'string', default: null, description: 'Host of the SMTP server that e-mails go to.' },
  SMTP_PORT: { type: 'integer', default: 587, min: 1, max: 65_535, description: 'Port of the SMTP server.' },
  SMTP_SECURITY: {
    type: 'enum',
    values: ['starttls', 'tls', 'none'],
    default: 'starttls',
    description: '`starttls` requires the upgrade, `tls` uses TLS from the first byte, `none` is for a relay on the same host.',
  },
  SMTP_USERNAME: { type: 'string', default: null, description: 'Account at the SMTP server; unset: no authentication.' },
  SMTP_PASSWORD: { type: 'string', secret: true, default: null, description: 'Password of that account.' },
  MESSAGES_CA_FILE: {
    type: 'string',
    default: null,
    description:
      'PEM file of certificate authorities trusted for SMTP, SMPP and the SMS gateway in addition to the built-in ones.',
  },
  SMPP_HOST: { type: 'string', default: null, description: 'Host of the SMSC (SMPP 3.4).' },
  SMPP_PORT: { type: 'integer', default: 3_550, min: 1, max: 65_535, description: 'Port of the SMSC.' },
  SMPP_TLS: { type: 'boolean', default: true, description: 'Whether connections to the SMSC use TLS.' },
  SMPP_SYSTEM_ID: { type: 'string', default: '', description: 'Account at the SMSC.' },
  SMPP_PASSWORD: { type: 'string', secret: true, default: '', description: 'Password of that account.' },
  SMS_GATEWAY_URL: {
    type: 'url',
    default: null,
    description: 'HTTP gateway for short messages without an SMSC; it accepts `{from, to, text, reference}` as JSON.',
  },
  SMS_GATEWAY_TOKEN: { type: 'string', secret: true, default: null, description: 'Bearer token for the HTTP gateway.' },
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
    email: {
      from: settings.EMAIL_FROM,
      smtp: {
        host: settings.SMTP_HOST,
        port: settings.SMTP_PORT,
        security: settings.SMTP_SECURITY,
        username: settings.SMTP_USERNAME,
        password: settings.SMTP_PASSWORD,
      },
    },
    sms: {
      from: settings.SMS_SENDER,
      smpp: {
        host: settings.SMPP_HOST,
        port: settings.SMPP_PORT,
        tls: settings.SMPP_TLS,
        systemId: settings.SMPP_SYSTEM_ID,
        password: settings.SMPP_PASSWORD,
      },
      gateway: { url: settings.SMS_GATEWAY_URL, token: settings.SMS_GATEWAY_TOKEN },
    },
    outboxFolder: settings.OUTBOX_FOLDER,
    caFile: settings.MESSAGES_CA_FILE,
  };
}
