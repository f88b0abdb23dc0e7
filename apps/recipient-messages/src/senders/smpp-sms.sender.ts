import { isIP } from 'node:net';
import { connect, type Pdu, type Session } from 'smpp';
import { MessageSender, SendError, type Sending, tlsOptions } from './message.sender';

export interface SmppSettings {
  host: string;
  port: number;
  tls: boolean;
  account: string;
  password: string;
  from: string;
  caFile: string | null;
}

const answerTimeoutMs = 15_000;
const enquireLinkMs = 30_000;
/** SMPP 3.4, 5.1.3: statuses of addresses and content that the SMSC will never accept. */
const permanentStatuses = new Set([0x01, 0x0a, 0x0b, 0x33, 0x34, 0x40, 0x45, 0x48, 0x49, 0x50, 0x51]);
const international = { ton: 1, npi: 1 };
const alphanumeric = { ton: 5, npi: 0 };

/** Sends short messages over SMPP 3.4 with one bound session, which is made when needed and again after a loss. */
export class SmppSmsSender extends MessageSender<string> {
  private session: Promise<Session> | undefined;
  /** The session that is bound, or being bound. */
  private latest: Session | undefined;

  constructor(private readonly settings: SmppSettings) {
    super();
  }

  override async send({ recipient, text }: Sending<string>): Promise<void> {
    const session = await (this.session ??= this.bind().catch((error: unknown) => this.unbound(error)));
    const answer = await this.answered(session, onAnswer => session.submit_sm(this.messageTo(recipient, text), onAnswer));
    if (answer.command_status !== 0) {
      throw new SendError(`SMPP 0x${answer.command_status.toString(16)}`, permanentStatuses.has(answer.command_status));
    }
  }

  /** Ends the session at once; messages in progress fail and are tried again. */
  override async close(): Promise<void> {
    this.latest?.unbind();
    this.latest?.destroy();
  }

  private messageTo(recipient: string, text: string): Record<string, unknown> {
    const { from } = this.settings;
    const source = /^\+?\d+$/.test(from) ? international : alphanumeric;
    return {
      source_addr_ton: source.ton,
      source_addr_npi: source.npi,
      source_addr: from.replace('+', ''),
      dest_addr_ton: international.ton,
      dest_addr_npi: international.npi,
      destination_addr: recipient.replace('+', ''),
      // Default alphabet of the SMSC: GSM 03.38.
      data_coding: 0,
      short_message: text,
    };
  }

  private async bind(): Promise<Session> {
    const { host, port, tls, account, password, caFile } = this.settings;
    const secure = tls ? { tls: true, servername: isIP(host) === 0 ? host : '', ...tlsOptions(caFile) } : {};
    const session = connect({ host, port, auto_enquire_link_period: enquireLinkMs, ...secure });
    this.latest = session;
    // After any end of the session the next message binds a new one.
    const forget = () => {
      if (this.latest === session) this.session = this.latest = undefined;
      session.destroy();
    };
    session.on('error', forget).on('close', forget);
    session.on('enquire_link', (pdu: Pdu) => session.send(pdu.response()));
    session.on('unbind', (pdu: Pdu) => session.send(pdu.response()));
    await this.answered(session, onReady => void session.once(tls ? 'secureConnect' : 'connect', onReady));
    const bound = await this.answered(session, onAnswer => session.bind_transceiver({ system_id: account, password }, onAnswer));
    if (bound.command_status === 0) return session;
    session.destroy();
    throw new SendError(`SMPP BIND 0x${bound.command_status.toString(16)}`, false);
  }

  private unbound(error: unknown): never {
    this.session = undefined;
    throw error;
  }

  /** The answer to a request; a SendError when the session ends or does not answer in time. */
  private answered(session: Session, request: (onAnswer: (pdu: Pdu) => void) => unknown): Promise<Pdu> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        session.off('close', onClose).off('error', onError);
      };
      const fail = (code: string, cause?: unknown): void => {
        settle();
        reject(new SendError(code, false, cause));
      };
      const onClose = (): void => fail('SMPP CLOSED');
      const onError = (error: NodeJS.ErrnoException): void => fail(`SMPP ${error.code ?? 'FAULT'}`, error);
      const timer = setTimeout(() => {
        fail('SMPP SILENT');
        session.destroy();
      }, answerTimeoutMs);
      session.once('close', onClose).once('error', onError);
      const isSent = request(pdu => {
        settle();
        resolve(pdu);
      });
      if (isSent === false) fail('SMPP CLOSED');
    });
  }
}
