import { request as httpRequest } from 'node:http';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls';
import { OutboundProxyError } from '../outbound-errors';
import type { Opening } from './first-opened';

const proxyAnswerBytesMax = 16_384;
const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 } as const;

/** Opens TCP to a checked address: the name is never looked up again. `sources`: addresses of this host by family; empty: the system chooses. */
export function openTcp(address: string, port: number, sources: ReadonlyMap<number, string>): Opening<Socket> {
  const localAddress = sources.get(isIP(address));
  if (sources.size > 0 && localAddress === undefined) return failed('no source address of that family', 'ENETUNREACH');
  const socket = connectTcp({ ...socketOptions, host: address, port, ...(localAddress !== undefined && { localAddress }) });
  return openingOf(socket, 'connect');
}

/** Opens a tunnel through a CONNECT proxy to the checked address. The proxy never gets the name, so it cannot resolve it differently. */
export function openTunnel(proxy: URL, address: string, port: number): Opening<Socket> {
  const authority = `${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
  const request = httpRequest({
    host: proxy.hostname,
    port: proxy.port === '' ? 80 : Number(proxy.port),
    method: 'CONNECT',
    path: authority,
    headers: { host: authority },
    agent: false,
    maxHeaderSize: proxyAnswerBytesMax,
  });
  const opened = new Promise<Socket>((resolve, reject) => {
    request.once('error', cause => reject(new OutboundProxyError('OUTBOUND_PROXY', cause)));
    request.once('connect', ({ statusCode = 0 }, socket: Socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      const isReceivers = statusCode === 502 || statusCode === 503 || statusCode === 504;
      reject(new OutboundProxyError(isReceivers ? 'OUTBOUND_UNREACHABLE' : 'OUTBOUND_PROXY', new Error(`proxy ${statusCode}`)));
    });
    request.once('response', response => {
      response.destroy();
      reject(new OutboundProxyError('OUTBOUND_PROXY', new Error(`proxy ${response.statusCode}`)));
    });
  });
  request.end();
  return { opened, giveUp: () => request.destroy() };
}

/** TLS over an open socket: certificate chain and name are verified against the host name of the URL (T-13). */
export function openTls(socket: Socket, hostname: string, trust: SecureContext): Opening<TLSSocket> {
  const tls = connectTls({
    socket,
    host: hostname,
    servername: isIP(hostname) ? '' : hostname,
    secureContext: trust,
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  return openingOf(tls, 'secureConnect');
}

function failed(message: string, code: string): Opening<never> {
  return { opened: Promise.reject(Object.assign(new Error(message), { code })), giveUp: () => undefined };
}

function openingOf<S extends Socket>(socket: S, event: 'connect' | 'secureConnect'): Opening<S> {
  const opened = new Promise<S>((resolve, reject) => {
    // This listener stays: until the HTTP client takes over, an error without a listener would end the process.
    socket.on('error', error => {
      socket.destroy();
      reject(error);
    });
    const onClose = () => reject(Object.assign(new Error('connection closed before it was open'), { code: 'ECONNRESET' }));
    socket.once('close', onClose);
    socket.once(event, () => {
      socket.off('close', onClose);
      resolve(socket);
    });
  });
  return { opened, giveUp: () => socket.destroy() };
}
