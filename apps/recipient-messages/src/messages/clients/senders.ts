import type { EmailText } from '../domain/message';
import type { MessageSender } from '../messages.ports';
import { HttpGatewaySender } from './http-gateway.sender';
import { FolderEmailSender, FolderSmsSender } from './outbox-folder-senders';
import { SmppSmsSender } from './smpp-sms.sender';
import { SmtpEmailSender } from './smtp-email.sender';

/** The settings that select and configure senders. */
export interface SenderSettings {
  EMAIL_TRANSPORT: 'auto' | 'smtp' | 'folder' | 'off';
  SMS_TRANSPORT: 'auto' | 'smpp' | 'http' | 'folder' | 'off';
  OUTBOX_FOLDER: string | null;
  EMAIL_FROM: string;
  SMTP_HOST: string | null;
  SMTP_PORT: number;
  SMTP_SECURITY: 'starttls' | 'tls' | 'none';
  SMTP_USERNAME: string | null;
  SMTP_PASSWORD: string | null;
  MESSAGES_CA_FILE: string | null;
  SMPP_HOST: string | null;
  SMPP_PORT: number;
  SMPP_TLS: boolean;
  SMPP_SYSTEM_ID: string;
  SMPP_PASSWORD: string;
  SMS_GATEWAY_URL: string | null;
  SMS_GATEWAY_TOKEN: string | null;
  SMS_SENDER: string;
}

export type EmailTransport = Exclude<SenderSettings['EMAIL_TRANSPORT'], 'auto'>;
export type SmsTransport = Exclude<SenderSettings['SMS_TRANSPORT'], 'auto'>;

/** The transport that is meant, `auto` resolved. */
export function emailTransportOf({ EMAIL_TRANSPORT, SMTP_HOST, OUTBOX_FOLDER }: SenderSettings): EmailTransport {
  if (EMAIL_TRANSPORT !== 'auto') return EMAIL_TRANSPORT;
  if (SMTP_HOST) return 'smtp';
  return OUTBOX_FOLDER ? 'folder' : 'off';
}

/** The transport that is meant, `auto` resolved. */
export function smsTransportOf({ SMS_TRANSPORT, SMPP_HOST, SMS_GATEWAY_URL, OUTBOX_FOLDER }: SenderSettings): SmsTransport {
  if (SMS_TRANSPORT !== 'auto') return SMS_TRANSPORT;
  if (SMPP_HOST) return 'smpp';
  if (SMS_GATEWAY_URL) return 'http';
  return OUTBOX_FOLDER ? 'folder' : 'off';
}

/** undefined: e-mails are off. @throws Error when the chosen transport lacks a setting */
export function emailSenderOf(settings: SenderSettings): MessageSender<EmailText> | undefined {
  const { EMAIL_FROM: from, MESSAGES_CA_FILE: caFile } = settings;
  switch (emailTransportOf(settings)) {
    case 'smtp':
      return new SmtpEmailSender({
        host: required(settings.SMTP_HOST, 'SMTP_HOST'),
        port: settings.SMTP_PORT,
        security: settings.SMTP_SECURITY,
        username: settings.SMTP_USERNAME,
        password: settings.SMTP_PASSWORD,
        from,
        caFile,
      });
    case 'folder':
      return new FolderEmailSender(required(settings.OUTBOX_FOLDER, 'OUTBOX_FOLDER'), from);
    case 'off':
      return undefined;
  }
}

/** undefined: short messages are off. @throws Error when the chosen transport lacks a setting */
export function smsSenderOf(settings: SenderSettings): MessageSender<string> | undefined {
  const { SMS_SENDER: from, MESSAGES_CA_FILE: caFile, SMS_GATEWAY_TOKEN: token } = settings;
  switch (smsTransportOf(settings)) {
    case 'smpp':
      return new SmppSmsSender({
        host: required(settings.SMPP_HOST, 'SMPP_HOST'),
        port: settings.SMPP_PORT,
        tls: settings.SMPP_TLS,
        systemId: settings.SMPP_SYSTEM_ID,
        password: settings.SMPP_PASSWORD,
        from,
        caFile,
      });
    case 'http':
      return new HttpGatewaySender({
        name: 'SMS GATEWAY',
        url: required(settings.SMS_GATEWAY_URL, 'SMS_GATEWAY_URL'),
        token,
        constants: { from },
        caFile,
      });
    case 'folder':
      return new FolderSmsSender(required(settings.OUTBOX_FOLDER, 'OUTBOX_FOLDER'), from);
    case 'off':
      return undefined;
  }
}

function required(value: string | null, key: string): string {
  if (value === null) throw new Error(`${key} is required by the chosen transport`);
  return value;
}
