import { createHmac, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';

export interface RelayName {
  /** Subject of the caller's identity. */
  account: string;
  /** The account's own name of one of its relays. */
  name: string;
}

export interface RelaySettings extends RelayTimes {
  /** 32 bytes: the URL of a relay is made from it, so that it is the same after a restart and nobody can guess it. */
  key: Buffer;
}

interface Entry {
  account: string;
  relay: Relay;
}

const relaysMax = 16;
const relaysPerAccountMax = 2;

/** The relays that have a listener, or had one a moment ago. */
export class Relays {
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly settings: RelaySettings) {}

  /** The last segment of the relay's URL: 256 bits that only account, name and key give. */
  idOf({ account, name }: RelayName): string {
    return createHmac('sha256', this.settings.key)
      .update(JSON.stringify([account, name]))
      .digest('base64url');
  }

  /** The lines for the listener; undefined when the account, or the platform, has no relay left. */
  listen(owner: RelayName, path: string): Readable | undefined {
    const id = this.idOf(owner);
    const entry = this.entries.get(id) ?? this.opened(id, owner.account);
    return entry?.relay.listen({ type: 'open', path });
  }

  answer(owner: RelayName, { id, status }: { id: string; status: number }): boolean {
    return this.entries.get(this.idOf(owner))?.relay.answer(id, status) ?? false;
  }

  /** False when nobody listens now. */
  rehearse(owner: RelayName, scenario: string): boolean {
    return this.entries.get(this.idOf(owner))?.relay.rehearse(scenario) ?? false;
  }

  /** Answers waiting requests at once; the next request finds no relay. */
  remove(owner: RelayName): void {
    this.entries.get(this.idOf(owner))?.relay.close();
  }

  /** Undefined when there is no such relay. */
  hold(id: string, request: HookRequest): Promise<HookAnswer> | undefined {
    return this.entries.get(id)?.relay.hold(request);
  }

  /** Ends every relay: the gateway stops. */
  close(): void {
    for (const { relay } of [...this.entries.values()]) relay.close();
  }

  private opened(id: string, account: string): Entry | undefined {
    const own = this.relaysOf(account);
    if (own.length >= relaysPerAccountMax) return undefined;
    if (this.entries.size >= relaysMax && !this.makeRoom(own.length)) return undefined;
    const entry = { account, relay: new Relay(this.settings, () => this.entries.delete(id)) };
    this.entries.set(id, entry);
    return entry;
  }

  /** Closes one whose listener is away, else, for an account that has none, the newer one of an account that has two. */
  private makeRoom(ownRelays: number): boolean {
    const all = [...this.entries.values()];
    const isSecond = ({ account }: Entry) => ownRelays === 0 && this.relaysOf(account).length === relaysPerAccountMax;
    const victim = all.find(({ relay }) => relay.isAway) ?? all.findLast(isSecond);
    victim?.relay.close();
    return victim !== undefined;
  }

  private relaysOf(account: string): Entry[] {
    return [...this.entries.values()].filter(entry => entry.account === account);
  }
}

/** A request to a relay's URL, as it came. */
export interface HookRequest {
  /** Names and values alternating. */
  headers: readonly string[];
  body: Buffer;
  /** Aborted when the sender has gone. */
  signal: AbortSignal;
}

/** Status for the sender; a text is the reason why no listener gave one. */
export type HookAnswer = number | 'FULL' | 'AWAY' | 'LATE';

interface Held {
  line: string;
  settle: (answer: HookAnswer) => void;
}

export interface RelayTimes {
  /** Longest wait for an answer; the sender gives up earlier. */
  holdMs: number;
  /** How long a relay waits for its listener to come back. */
  awayMs: number;
  /** Interval of the lines that show that the connection lives. */
  heartbeatMs: number;
  /** A listener must come back after this time with credentials that are valid then. */
  streamMs: number;
}

const heldMax = 64;
/** A listener that does not read is cut off. */
const unreadBytesMax = 33_554_432;

/** One URL of one account: holds requests until the listener has answered them, also across a cut connection. */
export class Relay {
  private readonly held = new Map<string, Held>();
  private stream: Readable | undefined;
  private away: NodeJS.Timeout | undefined;
  private isClosed = false;

  /** `onGone`: the listener stayed away, or left. */
  constructor(
    private readonly times: RelayTimes,
    private readonly onGone: () => void,
  ) {}

  get isAway(): boolean {
    return this.stream === undefined;
  }

  /**
   * The lines for a listener: first `first`, then every request that has no answer yet, also those that an earlier connection was given.
   * Replaces an earlier connection.
   */
  listen(first: object): Readable {
    clearTimeout(this.away);
    this.end({ type: 'replaced' });
    const stream = new Readable({ read: () => undefined });
    stream.push(lineOf(first));
    for (const { line } of this.held.values()) stream.push(line);
    this.stream = stream;
    const heartbeat = setInterval(() => this.sendHeartbeat(stream), this.times.heartbeatMs);
    const turn = setTimeout(() => stream === this.stream && this.end({ type: 'again' }), this.times.streamMs);
    stream.once('close', () => {
      clearInterval(heartbeat);
      clearTimeout(turn);
      if (this.stream === stream || this.stream === undefined) this.lost();
    });
    return stream;
  }

  /** Resolves with the listener's answer, or the reason why there is none. */
  hold({ headers, body, signal }: HookRequest): Promise<HookAnswer> {
    if (this.held.size >= heldMax) return Promise.resolve('FULL');
    const id = randomUUID();
    const line = lineOf({ type: 'notification', id, headers, body: body.toString('base64') });
    return new Promise(resolve => {
      const settle = (answer: HookAnswer): void => {
        clearTimeout(timer);
        this.held.delete(id);
        resolve(answer);
      };
      const timer = setTimeout(() => settle('LATE'), this.times.holdMs);
      signal.addEventListener('abort', () => settle('LATE'), { once: true });
      this.held.set(id, { line, settle });
      this.stream?.push(line);
    });
  }

  /** False when nobody waits for this answer any more. */
  answer(id: string, status: number): boolean {
    const held = this.held.get(id);
    held?.settle(status);
    return held !== undefined;
  }

  /** Asks the listener to play a scenario with what comes next; false when it has no connection. */
  rehearse(scenario: string): boolean {
    this.stream?.push(lineOf({ type: 'rehearsal', scenario }));
    return this.stream !== undefined;
  }

  /** Ends the relay: what waits is answered `AWAY`. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.away);
    this.end({ type: 'closed' });
    for (const { settle } of this.held.values()) settle('AWAY');
    this.onGone();
  }

  private sendHeartbeat(stream: Readable): void {
    // One that was replaced has ended, and may still be unread.
    if (stream !== this.stream) return;
    if (stream.readableLength > unreadBytesMax) stream.destroy();
    else stream.push(lineOf({ type: 'heartbeat' }));
  }

  private end(last: object): void {
    const { stream } = this;
    this.stream = undefined;
    stream?.push(lineOf(last));
    stream?.push(null);
  }

  private lost(): void {
    if (this.isClosed) return;
    this.stream = undefined;
    clearTimeout(this.away);
    this.away = setTimeout(() => this.close(), this.times.awayMs);
  }
}

function lineOf(message: object): string {
  return `${JSON.stringify(message)}\n`;
}
