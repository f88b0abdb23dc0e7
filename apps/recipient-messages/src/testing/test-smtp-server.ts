import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  to: string[];
  /** Whole message as received, quoted-printable line breaks undone. */
  source: string;
  raw: string;
  isEncrypted: boolean;
}

/** A real SMTP server on a free loopback port. */
export class TestSmtpServer {
  readonly mails: ReceivedMail[] = [];
  /** Recipients refused with 550. */
  readonly refused = new Set<string>();
  /** Answers `DATA` with 451 so many times. */
  temporaryFailures = 0;

  private constructor(private readonly server: SMTPServer) {}

  static async start(options: SMTPServerOptions = {}): Promise<TestSmtpServer> {
    const server: SMTPServer = new SMTPServer({
      authOptional: true,
      disabledCommands: options.cert ? [] : ['STARTTLS'],
      onAuth: ({ username, password }, _session, done) =>
        username === 'paycode' && password === 'relay-password' ? done(null, { user: username }) : done(new Error('no')),
      onRcptTo: ({ address }, _session, done) => done(smtp.refused.has(address) ? refusal(550, 'no such mailbox') : null),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('end', () => {
            if (smtp.temporaryFailures-- > 0) return done(refusal(451, 'try again later'));
            const raw = Buffer.concat(chunks).toString();
            const source = raw.replace(/=\r?\n/g, '').replaceAll('=3D', '=');
            const to = session.envelope.rcptTo.map(({ address }) => address);
            smtp.mails.push({ to, source, raw, isEncrypted: session.secure });
            done();
          });
      },
      ...options,
    });
    const smtp = new TestSmtpServer(server);
    server.on('error', () => undefined);
    await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
    return smtp;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  mailsTo(address: string): ReceivedMail[] {
    return this.mails.filter(({ to }) => to.includes(address));
  }

  /** The mails with their header fields and parts decoded, as a program shows them. */
  shownTo(address: string): string[] {
    return this.mailsTo(address).map(({ raw }) =>
      raw
        .split(/\r\n(?=--)/)
        .map(decoded)
        .join('\n'),
    );
  }

  stop(): Promise<void> {
    return new Promise(resolve => this.server.close(() => resolve()));
  }
}

function decoded(part: string): string {
  const ofBase64 = (text: string) => Buffer.from(text, 'base64').toString();
  const ofQuoted = (text: string) =>
    text.replace(/=\r\n/g, '').replace(/(=[0-9A-F]{2})+/g, bytes => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString());
  const [header = '', body = ''] = part.split(/\r\n\r\n(.*)/s);
  const fields = header
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?UTF-8\?([QB])\?(.*?)\?=/g, (_, form, text: string) =>
      form === 'B' ? ofBase64(text) : ofQuoted(text.replaceAll('_', ' ')),
    );
  return `${fields}\n${/encoding: base64/i.test(header) ? ofBase64(body) : ofQuoted(body)}`;
}

function refusal(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}
