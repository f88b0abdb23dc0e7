import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Where requests go. */
export interface Target {
  url: string;
  /** PEM of the authority that the server's certificate is from. */
  ca?: string;
}

export interface RawAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

export interface Exchange {
  /** All answers that came, informational ones left out. */
  answers: RawAnswer[];
  /** Neither an answer nor an end within the time. */
  isSilent: boolean;
}

export interface SendOptions {
  /** Address of this machine to send from; the system's choice without. */
  from?: string | undefined;
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

/** The final answers (no 1xx) in what a server sent on one connection; a cut-off last one is left as far as it came. */
function readAnswers(received: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = received.toString('latin1');
  while (rest.startsWith('HTTP/1.')) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd < 0) break;
    const [statusLine = '', ...lines] = rest.slice(0, headEnd).split('\r\n');
    const status = Number(statusLine.split(' ')[1]);
    const headers = Object.fromEntries(lines.map(fieldOf));
    const { body, after } = bodyOf(rest.slice(headEnd + 4), status, headers);
    rest = after;
    if (status >= 200) answers.push({ status, headers, body: Buffer.from(body, 'latin1').toString('utf8') });
  }
  return answers;
}

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

function bodyOf(text: string, status: number, headers: Record<string, string>): { body: string; after: string } {
  if (status < 200 || status === 204 || status === 304) return { body: '', after: text };
  if (headers['transfer-encoding'] === 'chunked') return chunkedBody(text);
  const length = headers['content-length'] === undefined ? text.length : Number(headers['content-length']);
  return { body: text.slice(0, length), after: text.slice(length) };
}

function chunkedBody(text: string): { body: string; after: string } {
  let [body, rest] = ['', text];
  for (;;) {
    const lineEnd = rest.indexOf('\r\n');
    const size = parseInt(rest.slice(0, lineEnd), 16);
    if (lineEnd < 0 || Number.isNaN(size)) return { body, after: '' };
    if (size === 0) return { body, after: rest.slice(lineEnd + 4) };
    body += rest.slice(lineEnd + 2, lineEnd + 2 + size);
    rest = rest.slice(lineEnd + 4 + size);
  }
}
