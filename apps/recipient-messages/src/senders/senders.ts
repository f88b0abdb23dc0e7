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

/** Servers and folder of the channels. A channel takes the first server that is set, else the folder, else it is off. */
export interface SenderOptions {
  email: EmailOptions;
  sms: SmsOptions;
  /** Folder that channels without a server write into. */
  outboxFolder: string | null;
  /** PEM file of authorities that are trusted in addition to the built-in ones. */
  caFile: string | null;
}

export interface EmailOptions {
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

/** undefined: e-mails are off. */
export function emailSenderOf({
  email: { from, smtp },
  outboxFolder,
  caFile,
}: SenderOptions): MessageSender<EmailText> | undefined {
  if (smtp.host !== null) return new SmtpEmailSender({ ...smtp, host: smtp.host, from, caFile });
  return outboxFolder === null ? undefined : new FolderEmailSender(outboxFolder, from);
}

/** undefined: short messages are off. */
export function smsSenderOf({ sms, outboxFolder, caFile }: SenderOptions): MessageSender<string> | undefined {
  const { from, smpp, gateway } = sms;
  if (smpp.host !== null) return new SmppSmsSender({ ...smpp, host: smpp.host, from, caFile });
  if (gateway.url !== null)
    return new HttpGatewaySender({ name: 'SMS GATEWAY', url: gateway.url, token: gateway.token, constants: { from }, caFile });
  return outboxFolder === null ? undefined : new FolderSmsSender(outboxFolder, from);
}
