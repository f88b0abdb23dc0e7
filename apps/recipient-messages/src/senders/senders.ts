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

/** Servers and folder of the channels. A channel takes its server, else the folder, else it is off. */
export interface SenderOptions {
  email: ChannelOptions;
  sms: ChannelOptions;
  /** Folder that channels without a server write into. */
  outboxFolder: string | null;
  /** PEM file of authorities that are trusted in addition to the built-in ones. */
  caFile: string | null;
}

export interface ChannelOptions {
  from: string;
  /** Names the server and the account at it; null: there is none. */
  url: string | null;
}

/** undefined: e-mails are off. @throws Error for the URL of another kind of server */
export function emailSenderOf({ email, outboxFolder, caFile }: SenderOptions): MessageSender<EmailText> | undefined {
  const { from, url } = email;
  if (url === null) return outboxFolder === null ? undefined : new FolderEmailSender(outboxFolder, from);
  const { protocol, searchParams } = new URL(url);
  const security = { 'smtps:': 'tls', 'smtp:': searchParams.get('tls') === 'off' ? 'none' : 'starttls' } as const;
  if (!isOneOf(security, protocol)) throw new Error('SMTP_URL must begin with smtp: or smtps:');
  const port = protocol === 'smtps:' ? 465 : 587;
  return new SmtpEmailSender({ ...serverOf(url, port), security: security[protocol], from, caFile });
}

/** undefined: short messages are off. @throws Error for the URL of another kind of server */
export function smsSenderOf({ sms, outboxFolder, caFile }: SenderOptions): MessageSender<string> | undefined {
  const { from, url } = sms;
  if (url === null) return outboxFolder === null ? undefined : new FolderSmsSender(outboxFolder, from);
  const make = {
    'smpp:': () => new SmppSmsSender({ ...serverOf(url, smppPort), tls: false, from, caFile }),
    'smpps:': () => new SmppSmsSender({ ...serverOf(url, smppPort), tls: true, from, caFile }),
    'http:': () => httpGateway(url, { from, caFile }),
    'https:': () => httpGateway(url, { from, caFile }),
  };
  const { protocol } = new URL(url);
  if (!isOneOf(make, protocol)) throw new Error('SMS_URL must begin with smpp:, smpps:, http: or https:');
  return make[protocol]();
}

const smppPort = 3_550;

const isOneOf = <T extends object>(table: T, name: PropertyKey): name is keyof T => Object.hasOwn(table, name);

function serverOf(text: string, defaultPort: number) {
  const { hostname, port, username, password } = new URL(text);
  return {
    // Of an IPv6 address, without the brackets.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || defaultPort),
    account: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}

function httpGateway(text: string, { from, caFile }: { from: string; caFile: string | null }): HttpGatewaySender {
  const url = new URL(text);
  const token = decodeURIComponent(url.password) || null;
  url.username = url.password = '';
  return new HttpGatewaySender({ url: url.href, token, from, caFile });
}
