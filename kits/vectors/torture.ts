/**
 * Requests as the public network sends them: by scanners, by connections that fail, by clients that lie about a length. Anybody can send them without a
 * key, so a receiver refuses them or drops the connection, and lives. Raw sockets, because a client library does not write such requests.
 */
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface Torture {
  id: string;
  /** Goes on after the word "After". */
  what: string;
  /** The usual reason why a receiver dies of it, and the mend. */
  advice: string;
  /** Fields of the request's head. */
  fields: string;
  /** What is written after the head. @param good the body of a good notification */
  body(good: string): string;
  /** `WAIT`: the client reads the answer. `IGNORE`: it reads nothing and stays. */
  leave: 'CLOSE' | 'RESET' | 'WAIT' | 'IGNORE';
  /** The statuses of a sound receiver; an empty one is a connection that ends without an answer. */
  answer: RegExp;
}

export interface Sent {
  /** The body of a good notification. */
  good: string;
  /** Runs before a client that ignores the answer leaves. */
  whileOpen?: () => Promise<void>;
}

export interface Target {
  url: URL;
  ca?: string;
  /** How long to wait for an answer. */
  withinMs: number;
}

const limit = 131_072;
/** The server reads the half body before the reset. */
const resetAfterMs = 50;
/** More than the limit, and far less than what the head promises. */
const beginning = 'A'.repeat(limit + 70_000);
const text = 'Content-Type: text/plain; charset=utf-8';
const chunked = `${text}\r\nTransfer-Encoding: chunked`;

const broken = {
  advice: 'Reading the body of an aborted request fails: catch that error (in Node: put the loop over the request into the try).',
  fields: `${text}\r\nContent-Length: 65536`,
  body: (good: string) => good.slice(0, good.length / 2),
  leave: 'WAIT',
  answer: /^(400)?$/,
} as const;
const long = {
  advice: 'Answer 413 to a body over 128 KiB as soon as its length is known, and close the connection.',
  leave: 'WAIT',
  answer: /^(400|411|413)$/,
} as const;
const parsed = {
  advice: 'Answer 400 to a body that you cannot open: mount the receiver above body parsers, and throw nothing.',
  leave: 'WAIT',
  answer: /^(400|415|500)$/,
} as const;
const typed = (type: string, { length }: string) => `Content-Type: ${type}\r\nContent-Length: ${length}`;
const [json, form, probe] = ['{"id":[1,null]}', 'id[a]=1', '{"result":"TEST"}'] as const;

export const tortures: readonly Torture[] = [
  { ...broken, id: 'half-sent', what: 'half a body and a closed connection', leave: 'CLOSE' },
  { ...broken, id: 'half-reset', what: 'half a body and a reset connection', leave: 'RESET', answer: /^$/ },
  { ...broken, id: 'bad-chunk', what: 'a malformed chunk', fields: chunked, body: () => '4\r\nAAAA\r\nnot a length\r\n' },
  {
    ...long,
    id: 'too-long',
    what: 'the beginning of a body of 100 MB',
    fields: `${text}\r\nContent-Length: 100000000`,
    body: () => beginning,
    answer: /^413$/,
  },
  {
    ...long,
    id: 'endless',
    what: 'the beginning of an endless body',
    fields: chunked,
    body: () => `${beginning.length.toString(16)}\r\n${beginning}\r\n`,
  },
  {
    ...parsed,
    id: 'parsed-json',
    what: 'a JSON object that body parsers take',
    fields: typed('application/json', json),
    body: () => json,
  },
  {
    ...parsed,
    id: 'parsed-form',
    what: 'a form that body parsers take',
    fields: typed('application/x-www-form-urlencoded', form),
    body: () => form,
  },
  {
    id: 'slow-reader',
    what: 'a client that reads no answer',
    advice: 'Writing to such a connection fails in the end: catch that error, and limit the time of a connection.',
    fields: typed('application/json', probe),
    body: () => probe,
    leave: 'IGNORE',
    answer: /^$/,
  },
];

/**
 * Sends it, and gives the status of the answer: empty when the connection ended without one, `SILENCE` when none came in time. Never rejects.
 */
export async function torture(
  { url, ca, withinMs }: Target,
  { fields, body, leave }: Torture,
  { good, whileOpen }: Sent,
): Promise<string> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const tcp = connect({ host, port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)), allowHalfOpen: true });
  const socket = url.protocol === 'https:' ? connectTls({ socket: tcp, servername: host, ca, minVersion: 'TLSv1.2' }) : tcp;
  const head = `POST ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n${fields}\r\n\r\n`;
  let answer = '';
  const status = await new Promise<string>(resolve => {
    const timer = setTimeout(() => resolve('SILENCE'), withinMs);
    const end = (): void => {
      clearTimeout(timer);
      resolve(/^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1] ?? '');
    };
    for (const each of new Set([tcp, socket])) each.on('error', end).once('close', end);
    socket.once('end', end);
    if (leave !== 'IGNORE')
      socket.on('data', (data: Buffer) => (answer += data.toString('latin1')).includes('\r\n\r\n') && end());
    socket.write(head + body(good), () => {
      if (leave === 'CLOSE') socket.end();
      if (leave === 'RESET') setTimeout(() => tcp.resetAndDestroy(), resetAfterMs);
      if (leave === 'IGNORE') end();
    });
  });
  await whileOpen?.();
  socket.destroy();
  return status;
}
