import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import nodemailer from 'nodemailer';
import type { EmailText } from '../messages/domain/message';
import { HttpGatewaySender } from './http-gateway.sender';
import { MessageSender, type Sending } from './message.sender';
import { SmppSmsSender } from './smpp-sms.sender';
import { mailOf, SmtpEmailSender } from './smtp-email.sender';

/** Writes each e-mail as an .eml file, which mail programs can open, instead of sending it. */
export class FolderEmailSender extends MessageSender<EmailText> {
  private readonly composer = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'unix' });

  constructor(
    private readonly folder: string,
    private readonly from: string,
  ) {
    super();
  }

  override async send({ recipient, text, reference }: Sending<EmailText>): Promise<void> {
    const { message } = await this.composer.sendMail(mailOf({ from: this.from, recipient, text, reference }));
    await writeWhole(join(this.folder, 'email'), `${reference}.eml`, message as Buffer);
  }

  override async close(): Promise<void> {
    this.composer.close();
  }
}

/** Writes each short message as a text file. */
export class FolderSmsSender extends MessageSender<string> {
  constructor(
    private readonly folder: string,
    private readonly from: string,
  ) {
    super();
  }

  override send({ recipient, text, reference }: Sending<string>): Promise<void> {
    return writeWhole(join(this.folder, 'sms'), `${reference}.txt`, `From: ${this.from}\nTo: ${recipient}\n\n${text}\n`);
  }

  override async close(): Promise<void> {}
}

/** Writes a file atomically, so that readers of the folder see complete files only. */
async function writeWhole(folder: string, name: string, content: Buffer | string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const hidden = join(folder, `.${name}`);
  await writeFile(hidden, content, { mode: 0o600 });
  await rename(hidden, join(folder, name));
}

/** Options that select and configure senders: the transport of each channel, and the connection of each transport. */
export interface SenderOptions {
  email: EmailOptions;
  sms: SmsOptions;
  /** Folder of the `folder` transports. */
  outboxFolder: string | null;
  /** PEM file of authorities that are trusted in addition to the built-in ones. */
  caFile: string | null;
}

export interface EmailOptions {
  transport: 'auto' | 'smtp' | 'folder' | 'off';
  from: string;
  /** host null: there is no SMTP server. */
  smtp: {
    host: string | null;
    port: number;
    security: 'starttls' | 'tls' | 'none';
    username: string | null;
    password: string | null;
  };
}

export interface SmsOptions {
  transport: 'auto' | 'smpp' | 'http' | 'folder' | 'off';
  from: string;
  /** host null: there is no SMSC. */
  smpp: { host: string | null; port: number; tls: boolean; systemId: string; password: string };
  gateway: GatewayOptions;
}

/** url null: there is no HTTP gateway. */
export interface GatewayOptions {
  url: string | null;
  token: string | null;
}

export type EmailTransport = Exclude<EmailOptions['transport'], 'auto'>;
export type SmsTransport = Exclude<SmsOptions['transport'], 'auto'>;

/** The transport that is meant, `auto` resolved. */
export function emailTransportOf({ email: { transport, smtp }, outboxFolder }: SenderOptions): EmailTransport {
  if (transport !== 'auto') return transport;
  if (smtp.host) return 'smtp';
  return outboxFolder ? 'folder' : 'off';
}

/** The transport that is meant, `auto` resolved. */
export function smsTransportOf({ sms: { transport, smpp, gateway }, outboxFolder }: SenderOptions): SmsTransport {
  if (transport !== 'auto') return transport;
  if (smpp.host) return 'smpp';
  if (gateway.url) return 'http';
  return outboxFolder ? 'folder' : 'off';
}

/** undefined: e-mails are off. @throws Error when the chosen transport lacks a setting */
export function emailSenderOf(options: SenderOptions): MessageSender<EmailText> | undefined {
  const { email, caFile } = options;
  const { from, smtp } = email;
  switch (emailTransportOf(options)) {
    case 'smtp':
      return new SmtpEmailSender({ ...smtp, host: required(smtp.host, 'SMTP_HOST'), from, caFile });
    case 'folder':
      return new FolderEmailSender(required(options.outboxFolder, 'OUTBOX_FOLDER'), from);
    case 'off':
      return undefined;
  }
}

/** undefined: short messages are off. @throws Error when the chosen transport lacks a setting */
export function smsSenderOf(options: SenderOptions): MessageSender<string> | undefined {
  const { sms, caFile } = options;
  const { from, smpp, gateway } = sms;
  switch (smsTransportOf(options)) {
    case 'smpp':
      return new SmppSmsSender({ ...smpp, host: required(smpp.host, 'SMPP_HOST'), from, caFile });
    case 'http':
      return new HttpGatewaySender({
        name: 'SMS GATEWAY',
        url: required(gateway.url, 'SMS_GATEWAY_URL'),
        token: gateway.token,
        constants: { from },
        caFile,
      });
    case 'folder':
      return new FolderSmsSender(required(options.outboxFolder, 'OUTBOX_FOLDER'), from);
    case 'off':
      return undefined;
  }
}

/** `setting`: its name in the environment, for the reader of the error. */
function required(value: string | null, setting: string): string {
  if (value === null) throw new Error(`${setting} is required by the chosen transport`);
  return value;
}
