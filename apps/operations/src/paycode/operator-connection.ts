import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type CallerTls, readCallerTls } from '../../../../libs/platform-client/src/http/mutual-tls.ts';
import { type JsonAnswer, sendJson } from '../../../../libs/platform-client/src/http/send-json.ts';

/** The command cannot be carried out; the message is for the user. */
export class OperatorError extends Error {}

/** Text of a file. @throws OperatorError that begins with `what` when it cannot be read */
export function textIn(file: string, what = ''): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new OperatorError(`${what}${file} cannot be read (${(cause as NodeJS.ErrnoException).code})`, { cause });
  }
}

export type ServiceName =
  | 'auth-session'
  | 'notification-config'
  | 'webhook-dispatcher'
  | 'reversal-scheduler'
  | 'recipient-messages'
  | 'payment-simulator'
  | 'portal';

export interface ConnectionOptions {
  /** Folder of the standalone platform. */
  home: string;
  /** `service=base URL` pairs that replace what standalone.json says. */
  url: string[];
  tokenFile?: string;
  /** PEM files for services that use mutual TLS, named like the services' own settings; all or none. */
  mutualTlsCertFile?: string;
  mutualTlsKeyFile?: string;
  mutualTlsCaFile?: string;
}

export interface OperatorCall {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: unknown;
}

/** Calls the internal listeners of a running platform with the operator token. */
export class OperatorConnection {
  private readonly baseUrls: Partial<Record<ServiceName, string>>;
  private readonly token: string;
  private readonly tls: CallerTls | undefined;

  constructor(options: ConnectionOptions) {
    const standalone = readStandalone(options.home);
    this.baseUrls = { ...standalone?.internal, ...Object.fromEntries(options.url.map(parsePair)) };
    const tokenFile = options.tokenFile ?? standalone?.operatorTokenFile;
    if (!tokenFile || !(tokenFile === '-' || existsSync(tokenFile))) {
      throw new OperatorError(
        `No running platform found in ${options.home}. Start it with npm start, or name another one:\n` +
          '  --home <folder>, or --token-file <file> with --url <service>=<base URL>',
      );
    }
    this.token = (tokenFile === '-' ? whole().split('\n', 1)[0]! : readFileSync(tokenFile, 'utf8')).trim();
    this.tls = tlsOf(options);
  }

  /** Whether the address of the service is known. */
  knows(service: ServiceName): boolean {
    return this.baseUrls[service] !== undefined;
  }

  /** Makes one call, to the service of a cell at its own address, and returns the parsed answer. Throws OperatorError for any status but 2xx. */
  async call(service: ServiceName, call: OperatorCall, base = this.baseUrls[service]): Promise<unknown> {
    if (!base) throw new OperatorError(`No address of ${service} is known; give --url ${service}=<base URL>`);
    const { status, body } = await this.send(service, base, call).catch((error: NodeJS.ErrnoException) => {
      throw new OperatorError(
        `${service} at ${base} does not answer (${error.code ?? error.message}). Is the platform running? npm start`,
      );
    });
    if (status >= 200 && status < 300) return body;
    throw new OperatorError(refusalText(service, status, body));
  }

  private send(service: ServiceName, base: string, { method, path, body }: OperatorCall): Promise<JsonAnswer> {
    if (base.startsWith('https:') && !this.tls)
      throw new OperatorError(
        `${service} at ${base} wants a certificate: give --mutual-tls-cert-file, --mutual-tls-key-file and --mutual-tls-ca-file`,
      );
    const mutualTls = this.tls && { ...this.tls, servername: service };
    return sendJson({ url: base + path, method, body, headers: { authorization: `Bearer ${this.token}` }, mutualTls });
  }
}

function tlsOf({ mutualTlsCertFile, mutualTlsKeyFile, mutualTlsCaFile }: ConnectionOptions): CallerTls | undefined {
  try {
    return readCallerTls({ certFile: mutualTlsCertFile, keyFile: mutualTlsKeyFile, caFile: mutualTlsCaFile });
  } catch (error) {
    throw new OperatorError((error as Error).message, { cause: error });
  }
}

interface Standalone {
  internal: Partial<Record<ServiceName, string>>;
  operatorTokenFile: string;
}

/** Paths in the file may be relative to the folder in which the platform was started: its files lie beside it. */
function readStandalone(home: string): Standalone | undefined {
  const file = join(home, 'standalone.json');
  if (!existsSync(file)) return undefined;
  const standalone = JSON.parse(readFileSync(file, 'utf8')) as Standalone;
  return { ...standalone, operatorTokenFile: join(home, basename(standalone.operatorTokenFile)) };
}

function parsePair(pair: string): [string, string] {
  const [service, ...rest] = pair.split('=');
  const base = rest.join('=');
  if (!service || !URL.canParse(base)) throw new OperatorError(`--url wants <service>=<base URL>, not ${pair}`);
  return [service, base.replace(/\/$/, '')];
}

function refusalText(service: string, status: number, body: unknown): string {
  const { message, errors } = (typeof body === 'object' && body ? body : {}) as {
    message?: string;
    errors?: { field: string; message: string }[];
  };
  const details = errors?.map(({ field, message: rule }) => `\n  ${field}: ${rule}`).join('') ?? '';
  return `${service} refused (${status}): ${message ?? 'no reason given'}${details}`;
}

/** Standard input is read once, although a token and a file may both come through it: a pod has no other input. */
let text: string | undefined;

function whole(): string {
  return (text ??= readFileSync(0, 'utf8'));
}

/** A file that comes through standard input; behind the token when that comes first. @throws OperatorError when nothing comes behind the token */
export function fileFromInput({ isBehindToken }: { isBehindToken: boolean }): string {
  if (!isBehindToken) return whole();
  const file = whole().slice(whole().indexOf('\n') + 1);
  if (!whole().includes('\n') || file.trim() === '')
    throw new OperatorError(
      'standard input ends behind the token: send both, the token first, as in cat operator.token <file> | …',
    );
  return file;
}
