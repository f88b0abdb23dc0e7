import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type RawAnswer, readAnswers } from './raw-answers.ts';

/** Where requests go. */
export interface Target {
  url: string;
  /** PEM of the authority that the server's certificate is from. */
  ca?: string;
}

export interface Exchange {
  /** All answers that came, informational ones left out. */
  answers: RawAnswer[];
  /** Neither an answer nor an end within the time. */
  isSilent: boolean;
}

export interface SendOptions {
  /** Address of this machine to send from; the system's choice without. */
  from?: string;
  /** Ends the sending side when no answer comes: what waits for more bytes gets none. */
  isLast?: boolean;
}

/** Beyond every time limit of the platform, also on a machine with other work. */
const silenceMs = 120_000;
const keptOpenMs = 5_000;
const patienceMs = 3_000;
const answerBytesMax = 4_194_304;

/** Sends exactly these bytes (one per character) on a connection of their own and reads what comes until the other side ends it. */
export function sendBytes(target: Target, bytes: string, { from, isLast = false }: SendOptions = {}): Promise<Exchange> {
  return new Promise(resolve => {
    const received: Buffer[] = [];
    let size = 0;
    const socket = open(target, from, () => socket.write(Buffer.from(bytes, 'latin1')));
    const finish = (isSilent: boolean) => {
      socket.destroy();
      const answers = readAnswers(Buffer.concat(received));
      resolve({ answers, isSilent: isSilent && answers.length === 0 });
    };
    socket.setTimeout(isLast ? patienceMs : silenceMs, () => {
      if (!isLast || socket.writableEnded || received.length > 0) return finish(true);
      socket.end();
      socket.setTimeout(silenceMs);
    });
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk);
      size += chunk.length;
      if (size > answerBytesMax) finish(false);
      // A connection that is kept open for more is left after a while.
      if (readAnswers(Buffer.concat(received)).length > 0) socket.setTimeout(keptOpenMs);
    });
    // A refused request may be answered while the client still writes; the reset that follows is expected.
    socket.on('error', () => finish(false));
    socket.on('end', () => finish(false));
    socket.on('close', () => finish(false));
  });
}

function open({ url, ca }: Target, from: string | undefined, onOpen: () => void): Socket {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname === 'localhost' ? '127.0.0.1' : hostname;
  const to = { host, port: Number(port), ...(from ? { localAddress: from } : {}), allowHalfOpen: true };
  if (protocol === 'http:') return connectPlain(to, onOpen);
  return connectTls({ ...to, ca, servername: hostname, ALPNProtocols: ['http/1.1'] }, onOpen);
}
