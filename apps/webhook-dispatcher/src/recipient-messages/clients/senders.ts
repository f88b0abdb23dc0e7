import type { EmailSender, SmsSender } from '../recipient-messages.ports';
import { HttpSmsSender } from './http-sms.sender';
import { FolderEmailSender, FolderSmsSender } from './outbox-folder.senders';
import { SmppSmsSender } from './smpp-sms.sender';
import { SmtpEmailSender } from './smtp-email.sender';

/** The settings of `recipient-messages-env.ts` that choose and set up senders. */
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

/** undefined: e-mails are off. @throws Error when the chosen transport lacks a setting */
export function emailSenderOf(settings: SenderSettings): EmailSender | undefined {
  const { EMAIL_FROM: from, MESSAGES_CA_FILE: caFile } = settings;
  const auto = settings.SMTP_HOST ? 'smtp' : settings.OUTBOX_FOLDER ? 'folder' : 'off';
  switch (settings.EMAIL_TRANSPORT === 'auto' ? auto : settings.EMAIL_TRANSPORT) {
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
export function smsSenderOf(settings: SenderSettings): SmsSender | undefined {
  const { SMS_SENDER: from, MESSAGES_CA_FILE: caFile } = settings;
  switch (settings.SMS_TRANSPORT === 'auto' ? autoSms(settings) : settings.SMS_TRANSPORT) {
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
      return new HttpSmsSender({
        url: required(settings.SMS_GATEWAY_URL, 'SMS_GATEWAY_URL'),
        token: settings.SMS_GATEWAY_TOKEN,
        from,
        caFile,
      });
    case 'folder':
      return new FolderSmsSender(required(settings.OUTBOX_FOLDER, 'OUTBOX_FOLDER'), from);
    case 'off':
      return undefined;
  }
}

function autoSms({ SMPP_HOST, SMS_GATEWAY_URL, OUTBOX_FOLDER }: SenderSettings): 'smpp' | 'http' | 'folder' | 'off' {
  if (SMPP_HOST) return 'smpp';
  if (SMS_GATEWAY_URL) return 'http';
  return OUTBOX_FOLDER ? 'folder' : 'off';
}

function required(value: string | null, key: string): string {
  if (value === null) throw new Error(`${key} is required by the chosen transport`);
  return value;
}
