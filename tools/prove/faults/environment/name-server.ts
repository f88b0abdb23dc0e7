import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Answer for a name: addresses of either family, no such name, no answer, or a server failure. */
export type NameAnswer = string[] | 'NXDOMAIN' | 'SILENCE' | 'SERVFAIL';

const headerBytes = 12;
const types = { 1: 4, 28: 6 } as const;
const codes = { NXDOMAIN: 3, SERVFAIL: 2 } as const;

/** A name server on a port of its own; `answerFor` may answer differently each time. */
export class NameServer {
  /** Of a name in lower case, without the dot at the end. */
  answerFor: (name: string) => NameAnswer = () => 'NXDOMAIN';
  private readonly socket: Socket = createSocket('udp4');

  static async start(): Promise<NameServer> {
    const server = new NameServer();
    server.socket.on('message', (query, from) => server.reply(query, from));
    await new Promise<void>(resolve => server.socket.bind(0, '127.0.0.1', resolve));
    return server;
  }

  /** As OUTBOUND_DNS_SERVERS takes it. */
  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  async stop(): Promise<void> {
    await new Promise<void>(resolve => this.socket.close(resolve));
  }

  private reply(query: Buffer, { port, address }: RemoteInfo): void {
    const { name, end } = readName(query);
    const answer = this.answerFor(name.toLowerCase());
    if (answer === 'SILENCE') return;
    const question = query.subarray(headerBytes, end + 4);
    const family = types[query.readUInt16BE(end) as keyof typeof types];
    const addresses = typeof answer === 'string' ? [] : answer.filter(text => (isIPv4(text) ? 4 : 6) === family);
    const header = Buffer.alloc(headerBytes);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (typeof answer === 'string' ? codes[answer] : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(addresses.length, 6);
    this.socket.send(Buffer.concat([header, question, ...addresses.map(record)]), port, address);
  }
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.'), end: at + 1 };
}

/** An A or AAAA record of the question's name with a TTL of 0. */
function record(address: string): Buffer {
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray());
  const head = Buffer.from([0xc0, headerBytes, 0, bytes.length === 4 ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
  return Buffer.concat([head, bytes]);
}
