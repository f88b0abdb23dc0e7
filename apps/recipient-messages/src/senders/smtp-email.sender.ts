import nodemailer, { type Transporter } from 'nodemailer';
import type SMTPPool from 'nodemailer/lib/smtp-pool';
import type { EmailText } from '../messages/domain/message';
import { MessageSender, SendError, type Sending, tlsOptions } from './message.sender';

export interface SmtpSettings {
  host: string;
  port: number;
  security: 'starttls' | 'tls' | 'none';
  /** Empty: no authentication. */
  account: string;
  password: string;
  from: string;
  caFile: string | null;
}

const connectionsMax = 4;
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000, dnsTimeout: 5_000 };

/** E-mails over SMTP: pooled connections, TLS verified. */
export class SmtpEmailSender extends MessageSender<EmailText> {
  private readonly transporter: Transporter;

  constructor(private readonly settings: SmtpSettings) {
    super();
    this.transporter = nodemailer.createTransport(poolOptions(settings));
  }

  override async send({ recipient, text, reference }: Sending<EmailText>): Promise<void> {
    try {
      await this.transporter.sendMail(mailOf({ from: this.settings.from, recipient, text, reference }));
    } catch (cause) {
      throw sendErrorOf(cause as SmtpFault);
    }
  }

  override async close(): Promise<void> {
    this.transporter.close();
  }
}

/** A mail for nodemailer. Addresses are objects, so that they are never parsed from a text that could contain another address (T-25). */
export function mailOf(mail: { from: string; recipient: string; text: EmailText; reference: string }) {
  const { stopUrl, ...text } = mail.text;
  const stop =
    stopUrl === undefined ? {} : { 'List-Unsubscribe': `<${stopUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
  return {
    from: { name: 'Paycode', address: mail.from },
    to: { name: '', address: mail.recipient },
    ...text,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Paycode-Message': mail.reference, ...stop },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function poolOptions({ host, port, security, account, password, caFile }: SmtpSettings): SMTPPool.Options {
  return {
    pool: true,
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    auth: account === '' ? undefined : { user: account, pass: password },
    tls: tlsOptions(caFile),
    maxConnections: connectionsMax,
    maxMessages: 100,
    ...timeouts,
  };
}

interface SmtpFault {
  code?: string;
  responseCode?: number;
}

/** A refused address or content is permanent. A refused login or an unreachable server is temporary. */
function sendErrorOf(fault: SmtpFault): SendError {
  const isPermanent = (fault.responseCode ?? 0) >= 500 && (fault.code === 'EENVELOPE' || fault.code === 'EMESSAGE');
  return new SendError(fault.responseCode ? `SMTP ${fault.responseCode}` : `SMTP ${fault.code ?? 'FAULT'}`, isPermanent);
}
