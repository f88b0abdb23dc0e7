import { EventEmitter } from 'node:events';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { readProxyHeader } from './proxy-header';
import type { ClientAddresses } from './client-addresses';
import { ConnectionGate } from './connection-gate';

const signature = '0d0a0d0a000d0a515549540a';
/** A header of version 2 from its parts, each in hexadecimal digits. */
const binary = (versionAndCommand: string, family: string, rest: string) =>
  Buffer.from(`${signature}${versionAndCommand}${family}${(rest.length / 2).toString(16).padStart(4, '0')}${rest}`, 'hex');
const tcp4 = 'c000020ac63364010fa001bb';
const tcp6 = `${'20010db8'.padEnd(32, '0')}${'20010db80001'.padEnd(32, '0')}0fa001bb`;
const text = (line: string) => Buffer.from(`${line}\r\n`, 'latin1');

const valid: [string, Buffer, string | undefined][] = [
  ['v1 over IPv4', text('PROXY TCP4 192.0.2.10 198.51.100.1 4000 443'), '192.0.2.10'],
  ['v1 over IPv6', text('PROXY TCP6 2001:DB8:0::1 2001:db8::2 4000 443'), '2001:db8::1'],
  ['v1 of nobody', text('PROXY UNKNOWN'), undefined],
  ['v1 of nobody with words', text('PROXY UNKNOWN ffff::1 ffff::2 1 2'), undefined],
  ['v2 over IPv4', binary('21', '11', tcp4), '192.0.2.10'],
  ['v2 over IPv6', binary('21', '21', tcp6), '2001:db8::'],
  ['v2 with extension fields', binary('21', '11', `${tcp4}03000411223344`), '192.0.2.10'],
  ['v2 of the proxy itself', binary('20', '00', ''), undefined],
  ['v2 of the proxy itself, with addresses', binary('20', '11', tcp4), undefined],
  ['v2 of nobody', binary('21', '00', ''), undefined],
  ['v1 of HAProxy 2.6', text('PROXY TCP4 127.0.0.77 127.0.0.1 40123 43387'), '127.0.0.77'],
  ['v2 of HAProxy 2.6', Buffer.from(`${signature}2111000c7f00004d7f0000019cbbd025`, 'hex'), '127.0.0.77'],
  ['v2 of an IPv4 client in IPv6', binary('21', '21', `00000000000000000000ffffc000020a${tcp6.slice(32)}`), '192.0.2.10'],
];

describe('the header of the PROXY protocol (T-30)', () => {
  it.each(valid)('%s names the client and ends where its bytes begin (T-30)', (_name, header, source) => {
    expect(readProxyHeader(Buffer.concat([header, Buffer.from('after')]))).toEqual({
      kind: 'COMPLETE',
      bytes: header.length,
      source,
    });
  });

  it.each(valid)('%s is incomplete at each byte before its end (T-30)', (_name, header) => {
    const answers = Array.from({ length: header.length }, (_, length) => readProxyHeader(header.subarray(0, length)).kind);
    expect(new Set(answers)).toEqual(new Set(['INCOMPLETE']));
  });

  it.each([
    ['TLS', Buffer.from('160301', 'hex')],
    ['HTTP', text('GET / HTTP/1.1')],
    ['v1 without addresses', text('PROXY TCP4')],
    ['v1 with an address of the other family', text('PROXY TCP4 2001:db8::1 192.0.2.1 1 2')],
    ['v1 with an octal address', text('PROXY TCP4 192.0.2.010 192.0.2.1 1 2')],
    ['v1 with a short address', text('PROXY TCP4 192.2 192.0.2.1 1 2')],
    ['v1 with a port beyond 65535', text('PROXY TCP4 192.0.2.1 192.0.2.1 65536 2')],
    ['v1 with two blanks', text('PROXY  TCP4 192.0.2.1 192.0.2.1 1 2')],
    ['v1 with another transport', text('PROXY UDP4 192.0.2.1 192.0.2.1 1 2')],
    ['v1 with a bare line feed', Buffer.from(`PROXY TCP4 192.0.2.1 192.0.2.1 1 2\n${' '.repeat(107)}`)],
    ['v1 longer than 107 bytes', text(`PROXY UNKNOWN ${'x'.repeat(100)}`)],
    ['v1 without end', Buffer.from(`PROXY UNKNOWN ${'x'.repeat(200)}`)],
    ['v2 of another version', binary('11', '11', tcp4)],
    ['v2 with another command', binary('22', '11', tcp4)],
    ['v2 over UDP', binary('21', '12', tcp4)],
    ['v2 over a UNIX socket', binary('21', '31', '00'.repeat(216))],
    ['v2 with too few bytes of addresses', binary('21', '11', tcp4.slice(2))],
    ['v2 that announces more than 4 KiB', Buffer.from(`${signature}21111001`, 'hex')],
  ])('%s is refused (T-30)', (_name, header) => {
    expect(readProxyHeader(header)).toEqual({ kind: 'MALFORMED' });
  });

  it('arbitrary bytes are decided within 4,112 bytes, and never read as more than was sent (T-30)', () => {
    const start = fc.constantFrom(Buffer.from(signature, 'hex'), Buffer.from('PROXY '), Buffer.alloc(0));
    const sent = fc.tuple(start, fc.uint8Array({ maxLength: 300 })).map(parts => Buffer.concat(parts));
    fc.assert(
      fc.property(sent, bytes => {
        const header = readProxyHeader(bytes);
        if (header.kind === 'COMPLETE') expect(header.bytes).toBeLessThanOrEqual(bytes.length);
        expect(readProxyHeader(Buffer.concat([bytes, Buffer.alloc(4_112)])).kind).not.toBe('INCOMPLETE');
      }),
    );
  });
});

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
