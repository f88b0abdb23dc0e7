import type { LoggerService } from '@nestjs/common';
import { type Logger as PinoLogger, type LoggerOptions, pino } from 'pino';
import { DomainError } from './domain-error';
import { PacedLines } from './timing';

export type Logger = PinoLogger;

/**
 * The only fields that a log line may have (R-2.5-19, R-5.4-3, T-17): ids, counts, codes, durations. Everything else is dropped before it is
 * written, so a payload, key, token or password handed in by mistake never reaches the output.
 */
const allowedFields = new Set([
  'address', 'attempt', 'attempts', 'batch', 'caller', 'code', 'count', 'decision', 'depth', 'durationMs', 'elapsedMs', 'epoch', 'event',
  'group', 'host', 'kid', 'lag', 'shard', 'shards', 'merchantId', 'method', 'outcome', 'owner', 'partition', 'partitions', 'path', 'port',
  'ports', 'reason', 'requestId', 'route', 'rule', 'service', 'signal', 'source', 'spanId', 'status', 'subject', 'tokenId', 'topic', 'traceId',
  'transactionId', 'username', 'verdict', 'version', 'err',
]); // prettier-ignore

const errorTextCharsMax = 300;

interface LoggedError {
  name: string;
  code?: string;
  /** Of a DomainError. */
  reason?: string;
  message: string;
  stack?: string;
  cause?: LoggedError;
}

/** Name, code or reason, shortened message and stack of an error; its other members (which may hold data) are not written. */
function serializeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { name: 'NonError', message: typeof error };
  return {
    name: error.name,
    ...identityOf(error),
    message: error.message.slice(0, errorTextCharsMax),
    stack: error.stack?.split('\n').slice(1, 7).join('\n'),
    ...(error.cause && depth < 3 ? { cause: serializeError(error.cause, depth + 1) } : {}),
  };
}

function identityOf(error: Error): Pick<LoggedError, 'code' | 'reason'> {
  if (error instanceof DomainError) return { reason: error.reason };
  const { code } = error as { code?: unknown };
  return typeof code === 'string' || typeof code === 'number' ? { code: String(code) } : {};
}

function allow(fields: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (!allowedFields.has(name)) continue;
    kept[name] = name === 'err' ? serializeError(value) : value;
  }
  return kept;
}

/** A refusal by its reason and the code below it, any other error by its code and the place that threw it: messages quote data. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = (error instanceof DomainError ? (error.cause ?? {}) : error) as { code?: unknown };
  const place = error instanceof DomainError ? error.reason : /^\s+at .*$/m.exec(error.stack ?? '')?.[0];
  return [error.name, code, place].join(' ');
}

const warnLevel = 40;

/**
 * A warning with an error tells of work that comes again. So its place and cause have one line a minute, and `count` says how many it stands for. A line
 * that has a count already is paced by its writer.
 */
function pacedWarnings(): LoggerOptions['hooks'] {
  const lines = new PacedLines();
  return {
    logMethod(args, write, level) {
      const [fields, message] = args as unknown as [unknown, string?];
      const isPaced =
        level === warnLevel && typeof fields === 'object' && fields !== null && 'err' in fields && !('count' in fields);
      if (!isPaced) return write.apply(this, args);
      const { err, event, source, topic, group } = fields as Record<string, unknown>;
      const count = lines.due([message, event, source, topic, group, causeOf(err)].join(' '));
      if (count > 0) write.apply(this, [{ ...fields, count }, message]);
    },
  };
}

/** JSON lines on standard output, or to the file at `descriptor`; `service` on each. */
export function createLogger(service: string, level = 'info', descriptor = 1): Logger {
  const options: LoggerOptions = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: label => ({ level: label }), log: allow },
    // `log` has already serialised the error; the default serializer would merge its cause into the message and drop the code.
    serializers: { err: (written: unknown) => written },
    hooks: pacedWarnings(),
  };
  // Somebody in this process who reads the output, as tests do, has put a `write` in its place, which pino then calls.
  const isRead = descriptor === 1 && Object.hasOwn(process.stdout, 'write');
  return isRead ? pino(options) : pino(options, destinationAt(descriptor));
}

/** Lines that cannot be written wait in memory up to this size; later ones are lost. */
const unwrittenBytesMax = 4_194_304;

/**
 * A full disk costs lines, never the process. By itself, pino would end it, and wait for the disk before it ends: a process that neither
 * works nor ends.
 */
function destinationAt(descriptor: number): ReturnType<typeof pino.destination> {
  const destination = pino.destination({ dest: descriptor, sync: descriptor !== 1, maxLength: unwrittenBytesMax });
  const flush = destination.flushSync.bind(destination);
  let isRefused = false;
  destination.on('error', () => (isRefused = true));
  destination.on('write', () => (isRefused = false));
  destination.flushSync = () => {
    if (!isRefused) flush();
  };
  return destination;
}

/** Writes the framework's own messages through the same logger. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.logger.debug({ source: contextOf(rest) }, textOf(message));
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.logger.warn({ source: contextOf(rest) }, textOf(message));
  }
  error(message: unknown, ...rest: unknown[]): void {
    const err = message instanceof Error ? message : undefined;
    this.logger.error({ source: contextOf(rest), err }, textOf(message));
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.logger.debug({ source: contextOf(rest) }, textOf(message));
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.debug(message, ...rest);
  }
}

function textOf(message: unknown): string {
  if (message instanceof Error) return message.message.slice(0, errorTextCharsMax);
  return typeof message === 'string' ? message.slice(0, errorTextCharsMax) : typeof message;
}

function contextOf(rest: unknown[]): string | undefined {
  const last = rest.at(-1);
  return typeof last === 'string' ? last.slice(0, 80) : undefined;
}
