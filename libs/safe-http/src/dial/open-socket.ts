import { request as httpRequest } from 'node:http';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls';
import { OutboundProxyError, OutboundTimeoutError } from '../outbound-errors';
import type { OutboundTarget } from '../policy/url-rules';
import { Deadline } from './deadline';

/** Several addresses are tried in turn within one budget; each address gets at least this time, in milliseconds. */
const attemptMsMin = 250;
const proxyAnswerBytesMax = 16_384;
const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 } as const;

export interface VettedTarget extends OutboundTarget {
  /** The only addresses that may be dialled, in order. */
  addresses: readonly string[];
}

/** Opens TCP to one of the checked addresses and to no other: the name is never looked up again. */
export function openTcp(target: VettedTarget, deadline: Deadline): Promise<Socket> {
  const answers = target.addresses.map(address => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_hostname, options, callback) => {
    if (options.all) callback(null, answers);
    else callback(null, answers[0]!.address, answers[0]!.family);
  };
  const socket = connectTcp({
    ...socketOptions,
    host: target.hostname,
    port: target.port,
    // A literal host would bypass `lookup`; it is its own vetted address.
    ...(isIP(target.hostname) ? {} : { lookup }),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: Math.max(attemptMsMin, Math.floor(deadline.leftMs / answers.length)),
  });
  return deadline.bound(opened(socket, 'connect'), () => givingUp(socket, 'connect'));
}

/**
 * As `openTcp`, from given addresses of this host. Node tries several addresses only without a source address, so this function
 * loops over them.
 */
export async function openTcpFrom(
  sources: ReadonlyMap<number, string>,
  target: VettedTarget,
  deadline: Deadline,
): Promise<Socket> {
  const addresses = target.addresses.filter(address => sources.has(isIP(address)));
  if (addresses.length === 0) throw Object.assign(new Error('no source address of that family'), { code: 'ENETUNREACH' });
  const failures: unknown[] = [];
  for (const [tried, address] of addresses.entries()) {
    const turn = new Deadline(Math.max(attemptMsMin, deadline.leftMs / (addresses.length - tried)));
    const socket = connectTcp({ ...socketOptions, host: address, port: target.port, localAddress: sources.get(isIP(address))! });
    try {
      return await turn.bound(opened(socket, 'connect'), () => givingUp(socket, 'connect'));
    } catch (error) {
      failures.push(error);
    }
  }
  throw failures.length === 1 ? failures[0] : new AggregateError(failures, 'no address could be reached');
}

/**
 * Opens a tunnel through a CONNECT proxy to the checked address. The proxy never gets the name, so it cannot resolve it
 * differently.
 */
export async function openTunnel(proxy: URL, target: VettedTarget, deadline: Deadline): Promise<Socket> {
  const address = target.addresses[0]!;
  const authority = `${isIP(address) === 6 ? `[${address}]` : address}:${target.port}`;
  const request = httpRequest({
    host: proxy.hostname,
    port: proxy.port === '' ? 80 : Number(proxy.port),
    method: 'CONNECT',
    path: authority,
    headers: { host: authority },
    agent: false,
    maxHeaderSize: proxyAnswerBytesMax,
  });
  const tunnel = new Promise<Socket>((resolve, reject) => {
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
  return deadline.bound(tunnel, () => givingUp(request, 'connect'));
}

/** TLS over an open socket: certificate chain and name are verified against the host name of the URL (T-13). */
export function openTls(
  socket: Socket,
  hostname: string,
  options: { trust: SecureContext; deadline: Deadline },
): Promise<TLSSocket> {
  const tls = connectTls({
    socket,
    host: hostname,
    servername: isIP(hostname) ? '' : hostname,
    secureContext: options.trust,
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  return options.deadline.bound(opened(tls, 'secureConnect'), () => givingUp(tls, 'tls'));
}

function givingUp(connection: { destroy(): unknown }, phase: 'connect' | 'tls'): OutboundTimeoutError {
  connection.destroy();
  return new OutboundTimeoutError(phase);
}

function opened<S extends Socket>(socket: S, event: 'connect' | 'secureConnect'): Promise<S> {
  return new Promise((resolve, reject) => {
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
}
