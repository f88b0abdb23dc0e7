import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { AnswerBuffers } from './answer-buffers';

const mebibyte = Buffer.alloc(1_000_000);
const heldMax = 67;

/** A client that takes the slices of its answer when the test says so. */
class Client extends Writable {
  private readonly waiting: (() => void)[] = [];

  constructor() {
    super({ highWaterMark: 1, write: (_chunk, _encoding, done) => void this.waiting.push(done) });
  }

  take(): void {
    this.waiting.shift()?.();
  }
}

describe('answers that clients do not take (T-12)', () => {
  let refused: string[];
  let held: number;
  let buffers: AnswerBuffers;
  const clients: Client[] = [];
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    [refused, held] = [[], 0];
    const metrics = {
      readerRefused: (reason: string) => void refused.push(reason),
      answerBytesHeld: (bytes: number) => void (held = bytes),
    };
    buffers = new AnswerBuffers({ idleTimeoutMs: 65_000, connectionsMax: 128 }, metrics);
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy();
    jest.useRealTimers();
  });

  const turn = () => new Promise<void>(resolve => void setImmediate(resolve));
  /** An answer of a service to a client at this address. */
  async function answer(address: string, body: Buffer = mebibyte): Promise<Client> {
    const client = new Client();
    clients.push(client);
    const answer = { status: 200, headers: {}, body: Readable.from([body]), route: 'portal' };
    // A client that is cut off breaks its answer; the tests look at the client.
    buffers.send(answer, { response: client as unknown as ServerResponse, address }).catch(() => undefined);
    await turn();
    return client;
  }

  it('fill a limited memory: then the slowest reader of the address with most bytes is cut off, and nobody is refused', async () => {
    const alone = await answer('198.51.100.1');
    const many: Client[] = [];
    for (let at = 0; at < heldMax - 1; at++) {
      jest.advanceTimersByTime(1);
      many.push(await answer('198.51.100.2'));
    }
    expect([held, refused]).toEqual([heldMax * mebibyte.length, []]);
    many[0]!.take();
    const another = await answer('198.51.100.3');
    expect(refused).toEqual(['buffers-full']);
    expect(many.map(client => client.destroyed).indexOf(true)).toBe(1);
    expect([alone.destroyed, another.destroyed]).toEqual([false, false]);
  });

  it('are not held any more when the client is gone, is cut off or has taken them', async () => {
    const gone = await answer('198.51.100.1');
    const taking = await answer('198.51.100.1', Buffer.alloc(100));
    expect(held).toBe(mebibyte.length + 100);
    taking.take();
    await turn();
    expect(held).toBe(mebibyte.length);
    gone.destroy();
    await turn();
    expect(held).toBe(0);
    await answer('198.51.100.1');
    jest.advanceTimersByTime(30_000);
    await turn();
    expect([held, refused]).toEqual([0, ['slow']]);
  });

  it('regression: are not held for a client that left before they came', async () => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    response.destroy();
    await turn();
    const ends: string[] = [];
    const answer = { status: 200, headers: {}, body: 'an answer', route: 'portal' };
    buffers.send(answer, { response, address: '198.51.100.1' }).catch(({ message }: Error) => ends.push(message));
    await turn();
    expect([held, ends]).toEqual([0, ['the client closed the connection']]);
  });
});
