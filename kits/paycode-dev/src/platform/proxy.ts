import { request } from 'node:http';
import { Agent, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect, type ConnectionOptions } from 'node:tls';
import { type ProxySettings, proxySettings } from '../config/env';

const connectMs = 10_000;

/** An agent for a platform behind HTTPS_PROXY; undefined when none is set, or NO_PROXY has the host. */
export function agentFor(url: string, settings: ProxySettings = proxySettings()): Agent | undefined {
  const proxy = proxyOf(new URL(url), settings);
  return proxy && new TunnelAgent(proxy);
}

/** NO_PROXY: names and addresses with commas; one takes its subdomains too, with or without a dot in front, and `*` takes all. */
export function proxyOf(url: URL, { proxy, noProxy }: ProxySettings): URL | undefined {
  if (proxy === undefined || proxy === '') return undefined;
  const isDirect = noProxy.split(/[\s,]+/).some(entry => entry === '*' || names(entry, url));
  return isDirect ? undefined : new URL(proxy.includes('://') ? proxy : `http://${proxy}`);
}

function names(entry: string, { hostname, port }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(entry) !== 0) return host === entry;
  const [, name, only] = /^(?:\*?\.)?(.+?)(?::(\d+))?$/.exec(entry) ?? [];
  if (name === undefined || ![undefined, port || '443'].includes(only)) return false;
  return isIP(host) === 0 ? `.${host}`.endsWith(`.${name}`) : host === name;
}

/** Connects through an HTTP proxy by CONNECT; inside, TLS goes to the platform, whose certificate is checked as ever. */
class TunnelAgent extends Agent {
  constructor(private readonly proxy: URL) {
    super();
  }

  override createConnection(
    options: RequestOptions & ConnectionOptions,
    done?: (error: Error | null, stream: Duplex) => void,
  ): null {
    const { hostname, port, username, password } = this.proxy;
    const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
    const target = `${options.host}:${options.port}`;
    const headers = { Host: target, ...(username === '' ? {} : { 'Proxy-Authorization': `Basic ${credentials}` }) };
    const tunnel = request({ host: hostname, port: port || 80, method: 'CONNECT', path: target, headers, timeout: connectMs });
    tunnel.once('connect', (response, socket) => {
      if (response.statusCode !== 200) return void tunnel.destroy(new Error(`the proxy answered ${response.statusCode}`));
      const servername = isIP(options.host ?? '') === 0 ? (options.host ?? undefined) : undefined;
      done?.(null, connect({ ...options, socket, servername } as ConnectionOptions));
    });
    tunnel.once('timeout', () => tunnel.destroy(new Error('the proxy does not answer')));
    tunnel.once('error', error => done?.(error, undefined as never)).end();
    return null;
  }
}
