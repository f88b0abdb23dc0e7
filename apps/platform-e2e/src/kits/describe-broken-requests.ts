import { Agent, request as send } from 'node:http';
import { connect } from 'node:net';
import { KitProcess, notification, sealed } from './kit-process';
import type { KitUnderTest } from './receiver-kit';

const head = (length: string) => `POST /paycode HTTP/1.1\r\nHost: shop\r\nContent-Type: text/plain\r\n${length}\r\n\r\n`;
const limit = 131_072;
/** More than the limit, and far less than what the header promises. */
const beginning = 'A'.repeat(limit + 70_000);

/** Ways to break a request: what is written, and how the client leaves. `WAIT`: it lets the server close the connection. */
const breaks: [name: string, text: string, leave: 'CLOSE' | 'RESET' | 'WAIT', answer: RegExp][] = [
  ['half a body, then the connection closed', `${head('Content-Length: 1000')}AAAA`, 'CLOSE', /^(HTTP\/1.1 400 [^]*)?$/],
  ['half a body, then the connection reset', `${head('Content-Length: 1000')}AAAA`, 'RESET', /^$/],
  ['a malformed chunk', `${head('Transfer-Encoding: chunked')}4\r\nAAAA\r\nnot a length\r\n`, 'WAIT', /^HTTP\/1.1 400 /],
  ['a promised length over the limit', `${head('Content-Length: 100000000')}${beginning}`, 'WAIT', /^HTTP\/1.1 413 /],
  [
    'chunks over the limit, without an end',
    `${head('Transfer-Encoding: chunked')}${beginning.length.toString(16)}\r\n${beginning}\r\n`,
    'WAIT',
    /^HTTP\/1.1 413 /,
  ],
];

/** Writes it, and gives what the server answered before the connection ended. */
function written(url: string, text: string, leave: 'CLOSE' | 'RESET' | 'WAIT'): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), allowHalfOpen: true });
    socket.setEncoding('utf8').on('data', (data: string) => (answer += data));
    // A server that closes with unread bytes resets the connection.
    socket.on('error', (error: NodeJS.ErrnoException) => (/^(ECONNRESET|EPIPE)$/.test(error.code!) ? undefined : reject(error)));
    socket.once('end', () => socket.destroy()).once('close', () => resolve(answer));
    socket.write(text, () => {
      if (leave === 'CLOSE') socket.end();
      if (leave === 'RESET') socket.resetAndDestroy();
    });
  });
}

/** A good notification; gives the answer's status and whether the connection had served before. */
function posted(url: string, body: string, agent: Agent): Promise<{ status?: number; isReused: boolean }> {
  return new Promise((resolve, reject) => {
    const outgoing = send(url, { method: 'POST', agent, headers: { 'Content-Type': 'text/plain' } }, answer =>
      answer.resume().once('end', () => resolve({ status: answer.statusCode, isReused: outgoing.reusedSocket })),
    );
    outgoing.once('error', reject).end(body);
  });
}

/** Anybody can send these without a key: the receiver refuses them or drops the connection, and stays (T-22). */
export function describeBrokenRequests({ program, folder }: KitUnderTest, adapter: string): void {
  let receiver: KitProcess;
  let agent: Agent;
  beforeAll(async () => {
    receiver = await KitProcess.start({ program: program(), folder: folder(), adapter });
    agent = new Agent({ keepAlive: true, maxSockets: 1 });
  });
  afterAll(() => {
    agent?.destroy();
    return receiver?.stop();
  });

  it.each(breaks)(
    'regression: after %s, good notifications on a kept and on a new connection are kept (T-22)',
    async (...[, text, leave, answer]) => {
      const good = () => sealed(notification().text, receiver.addKey());
      expect(await posted(receiver.url, good(), agent)).toMatchObject({ status: 200 });
      expect(await written(receiver.url, text, leave)).toMatch(answer);
      expect(await receiver.post(good())).toBe('200 HANDLED');
      expect(await posted(receiver.url, good(), agent)).toEqual({ status: 200, isReused: true });
    },
  );
}
