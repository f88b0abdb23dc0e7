import { Readable } from 'node:stream';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DomainError, Lifecycle, LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicTask } from '@paycode/service-runtime/timing';
import type { OpenedSession } from '../sessions/domain/session';
import { PORTAL_RULES, type PortalRules } from '../sessions/portal.guard';
import { SessionStore } from '../sessions/session.store';
import { notYours, type Scope } from '../tenancy/scope';
import { ConcurrencyLimit } from './domain/concurrency-limit';
import { PaymentReader } from './payment-reader';

interface Watcher {
  transactionId: number;
  sessionId: string;
  /** The payment as it was last told of. */
  version: string | undefined;
  stream: Readable;
  endsAtMs: number;
}

const everyMs = 500;
/** Below the time for which the gateway lets an answer be silent. */
const heartbeatTurns = 20;
const sessionTurns = 4;
/** Then the browser connects anew, by another replica perhaps. */
const streamMsMax = 600_000;
/** A browser that does not read so much has gone. */
const unreadBytesMax = 65_536;
/** Below the connections that the gateway has to the portal: pages are answered whoever looks. */
const limits = { perPerson: 4, inAll: 64 };

/** Flow: a payment within the scope, looked at -> one statement each half second for all that are looked at -> whoever looks is told that it changed. */
@Injectable()
export class FollowPaymentsService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly places = new ConcurrencyLimit(limits);
  private readonly watchers = new Set<Watcher>();
  private readonly task: PeriodicTask;
  private turns = 0;

  constructor(
    private readonly reader: PaymentReader,
    private readonly sessions: SessionStore,
    private readonly lifecycle: Lifecycle,
    @Inject(PORTAL_RULES) private readonly rules: PortalRules,
    @Inject(LOGGER) log: Logger,
  ) {
    const failed = (err: unknown) => {
      log.warn({ event: 'watch-failed', err }, 'payments that people look at could not be read: their pages ask by themselves');
      this.endAll();
    };
    this.task = new PeriodicTask(() => this.turn(), { everyMs, firstAfterMs: everyMs, failed });
  }

  onApplicationBootstrap(): void {
    this.lifecycle.onDrain('watched payments', () => Promise.resolve(this.endAll()));
    this.task.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  /** Server-sent events. @throws DomainError 404, 429, 503 */
  async watch(scope: Scope, transactionId: number, { person, session }: OpenedSession): Promise<Readable> {
    if (this.lifecycle.isDraining)
      throw new DomainError({ status: 503, reason: 'DRAINING', message: 'this replica stops: ask again' });
    const giveBack = this.places.take(person.personId);
    if (!giveBack) throw tooMany();
    try {
      if (!(await this.reader.find(scope, transactionId))) throw notYours();
      return this.open({ transactionId, sessionId: session.sessionId }, giveBack);
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  private open(of: Pick<Watcher, 'transactionId' | 'sessionId'>, giveBack: () => void): Readable {
    const stream = new Readable({ read: () => undefined });
    const watcher: Watcher = { ...of, version: undefined, stream, endsAtMs: performance.now() + streamMsMax };
    this.watchers.add(watcher);
    stream.once('close', () => {
      this.watchers.delete(watcher);
      giveBack();
    });
    stream.push('retry: 3000\n\n');
    return stream;
  }

  private async turn(): Promise<void> {
    if (this.watchers.size === 0) return;
    this.turns++;
    const watchers = [...this.watchers];
    const versions = await this.reader.versions(watchers.map(({ transactionId }) => transactionId));
    for (const watcher of watchers) this.tell(watcher, versions.get(watcher.transactionId));
    if (this.turns % sessionTurns === 0) await this.endWithSessions(watchers);
  }

  private tell(watcher: Watcher, version: string | undefined): void {
    const { stream } = watcher;
    if (performance.now() >= watcher.endsAtMs || stream.readableLength > unreadBytesMax) return end(watcher);
    if (version !== watcher.version) {
      watcher.version = version;
      // The event carries no data: the page reads the payment itself, with the rights that its session has at that time.
      stream.push('event: change\ndata: {}\n\n');
    } else if (this.turns % heartbeatTurns === 0) stream.push(': heartbeat\n\n');
  }

  private async endWithSessions(watchers: readonly Watcher[]): Promise<void> {
    const open = await this.sessions.stillOpen(
      watchers.map(({ sessionId }) => sessionId),
      this.rules.idleS,
    );
    for (const watcher of watchers) if (!open.has(watcher.sessionId)) end(watcher);
  }

  private endAll(): void {
    for (const watcher of this.watchers) end(watcher);
  }
}

function end({ stream }: Watcher): void {
  if (!stream.readableEnded) stream.push(null);
  // One whose reader has gone never reads its end.
  if (stream.readableLength > unreadBytesMax) stream.destroy();
}

function tooMany(): DomainError {
  const message = 'as many payments are looked at as this portal tells of at once: the page asks by itself';
  return new DomainError({ status: 429, reason: 'WATCHERS', message, headers: { 'retry-after': '60' } });
}
