import { createHmac } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type HookAnswer, type HookRequest, Relay, type RelayTimes } from './relay';

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

  /** What waits is answered at once; the next request finds no relay. */
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
    const own = [...this.entries.values()].filter(entry => entry.account === account);
    if (own.length >= relaysPerAccountMax || this.entries.size >= relaysMax) return undefined;
    const entry = { account, relay: new Relay(this.settings, () => this.entries.delete(id)) };
    this.entries.set(id, entry);
    return entry;
  }
}
