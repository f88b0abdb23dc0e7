import { EventEmitter } from 'node:events';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { ClientAddresses } from './client-addresses';
import { ConnectionGate } from './connection-gate';

const relays = {
  isRelay: () => true,
  isForwarder: () => false,
  peerOf: () => '198.51.100.7',
  announce: () => undefined,
} as unknown as ClientAddresses;

describe('connections that have not sent their first bytes yet', () => {
  let refused: string[];
  let started: Duplex[];
  let socket: Duplex;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    [refused, started] = [[], []];
    const server = new EventEmitter().on('connection', (admitted: Duplex) => started.push(admitted));
    const reports = { onRefused: (reason: string) => void refused.push(reason), onSharedAddress: () => undefined };
    new ConnectionGate({ firstByteTimeoutMs: 1_000, addressConnectionsMax: 3 }, relays, reports).guard(server as Server);
    socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
    server.emit('connection', socket as Socket);
  });
  afterEach(() => {
    socket.destroy();
    jest.useRealTimers();
  });

  const say = async (text: string) => {
    socket.push(Buffer.from(text, 'latin1'));
    await turn();
  };

  it('a relay that sends its header byte by byte gets no extra time (T-30)', async () => {
    for (const byte of 'PROXY TCP') {
      await say(byte);
      jest.advanceTimersByTime(100);
    }
    expect([socket.destroyed, refused]).toEqual([false, []]);
    await say('4');
    jest.advanceTimersByTime(100);
    expect([socket.destroyed, refused, started]).toEqual([true, ['silent'], []]);
  });

  it('the bytes after the header count as the first bytes of the client (T-30)', async () => {
    const hello = '\u0016\u0003\u0001';
    await say(`PROXY TCP4 198.51.100.7 192.0.2.1 4000 443\r\n${hello}`);
    expect(started).toEqual([socket]);
    expect((socket.read() as Buffer).toString('latin1')).toBe(hello);
    jest.advanceTimersByTime(10_000);
    expect([socket.destroyed, refused]).toEqual([false, []]);
  });
});
