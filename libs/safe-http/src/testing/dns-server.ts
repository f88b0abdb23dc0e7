import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { isIP } from 'node:net';

export type DnsAnswer = readonly string[] | 'NXDOMAIN' | 'SERVFAIL' | 'REFUSED' | 'SILENCE';
type AnswerOf = (name: string, query: number, family: 4 | 6) => DnsAnswer | Promise<DnsAnswer>;

const typeA = 1;
const typeAaaa = 28;
const responseCodes = { NXDOMAIN: 3, SERVFAIL: 2, REFUSED: 5 } as const;

interface Question {
  id: number;
  name: string;
  type: number;
  /** Question section as received, to be repeated in the answer. */
  section: Buffer;
}

/** A name server for tests on a free loopback port: every query is answered by `answerOf`, so an answer may change from query to query. */
export class TestDnsServer {
  readonly queries: string[] = [];
  /** Of every answer from now on. */
  ttlSeconds = 0;
  private readonly unanswered: (() => Promise<void>)[] = [];

  private constructor(
    private readonly socket: Socket,
    private readonly answerOf: AnswerOf,
  ) {
    socket.on('message', (message, from) => void this.onQuery(message, from));
  }

  /** `answerOf` gets the name, how many queries of the same record type for it came before, and the family that is asked for. */
  static async start(answerOf: AnswerOf): Promise<TestDnsServer> {
    const socket = createSocket('udp4');
    await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve));
    return new TestDnsServer(socket, answerOf);
  }

  /** `address:port` for `OutboundPolicy.dnsServers`. */
  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  /** Answers first what it kept silent about, so that no look-up of a test waits for its time limit. */
  async stop(): Promise<void> {
    await Promise.all(this.unanswered.map(answerNow => answerNow()));
    await new Promise<void>(resolve => this.socket.close(() => resolve()));
  }

  private async onQuery(message: Buffer, from: RemoteInfo): Promise<void> {
    const question = questionOf(message);
    const key = `${question.name} ${question.type}`;
    const before = this.queries.filter(query => query === key).length;
    this.queries.push(key);
    const answer = await this.answerOf(question.name, before, question.type === typeAaaa ? 6 : 4);
    const send = (given: Exclude<DnsAnswer, 'SILENCE'>) =>
      new Promise<void>(resolve => {
        this.socket.send(responseTo(question, given, this.ttlSeconds), from.port, from.address, () => resolve());
      });
    if (answer === 'SILENCE') this.unanswered.push(() => send('NXDOMAIN'));
    else await send(answer);
  }
}

function questionOf(message: Buffer): Question {
  const labels: string[] = [];
  let offset = 12;
  for (let length = message[offset]!; length > 0; length = message[offset]!) {
    labels.push(message.toString('latin1', offset + 1, offset + 1 + length));
    offset += length + 1;
  }
  return {
    id: message.readUInt16BE(0),
    name: labels.join('.').toLowerCase(),
    type: message.readUInt16BE(offset + 1),
    section: message.subarray(12, offset + 5),
  };
}

function responseTo(question: Question, answer: Exclude<DnsAnswer, 'SILENCE'>, ttlSeconds: number): Buffer {
  const records = typeof answer === 'string' ? [] : answer.flatMap(address => recordOf(address, question.type, ttlSeconds));
  const header = Buffer.alloc(12);
  header.writeUInt16BE(question.id, 0);
  header.writeUInt16BE(0x8180 | (typeof answer === 'string' ? responseCodes[answer] : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, question.section, ...records]);
}

function recordOf(address: string, type: number, ttlSeconds: number): Buffer[] {
  if ((isIP(address) === 4 ? typeA : typeAaaa) !== type) return [];
  const data = isIP(address) === 4 ? Buffer.from(address.split('.').map(Number)) : bytesOfIpv6(address);
  const fixed = Buffer.alloc(12);
  fixed.writeUInt16BE(0xc00c, 0); // the name: pointer to the question
  fixed.writeUInt16BE(type, 2);
  fixed.writeUInt16BE(1, 4);
  fixed.writeUInt32BE(ttlSeconds, 6);
  fixed.writeUInt16BE(data.length, 10);
  return [Buffer.concat([fixed, data])];
}

function bytesOfIpv6(address: string): Buffer {
  const hostname = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = hostname.split('::');
  const [left, right] = [head, tail ?? ''].map(part => part.split(':').filter(group => group !== ''));
  const groups = [...left!, ...Array<string>(8 - left!.length - right!.length).fill('0'), ...right!];
  return Buffer.from(groups.flatMap(group => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff]));
}
