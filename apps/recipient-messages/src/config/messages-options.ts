import type { MessagesOptions } from '../messages';
import type { Settings } from './env';

/** The settings, as MessagesModule takes them. */
export function messagesOptionsOf(settings: Settings): MessagesOptions {
  return {
    notificationConfigUrl: settings.NOTIFICATION_CONFIG_URL,
    payloadKeys: settings.PAYLOAD_KEYS,
    ageMsMax: settings.MESSAGE_AGE_MAX_MS,
    triesMax: settings.MESSAGE_TRIES_MAX,
    firstWaitMs: settings.MESSAGE_RETRY_MS,
    senders: senderOptionsOf(settings),
  };
}

export function senderOptionsOf(settings: Settings): MessagesOptions['senders'] {
  return {
    email: {
      transport: settings.EMAIL_TRANSPORT,
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
      transport: settings.SMS_TRANSPORT,
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
