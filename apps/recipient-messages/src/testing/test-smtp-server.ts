import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  to: string[];
  /** Whole message as received, quoted-printable line breaks undone. */
  source: string;
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
            const source = Buffer.concat(chunks)
              .toString()
              .replace(/=\r?\n/g, '')
              .replaceAll('=3D', '=');
            smtp.mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), source, isEncrypted: session.secure });
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

  stop(): Promise<void> {
    return new Promise(resolve => this.server.close(() => resolve()));
  }
}

function refusal(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}
