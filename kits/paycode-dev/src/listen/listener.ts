import { setTimeout as pause } from 'node:timers/promises';
import { CommandError, exitCodes } from '../command-error';
import type { Account } from '../platform/account';
import { send } from '../platform/send';
import type { Heard } from './forwarder';
import { readRelay, type RelayLine } from './relay-stream';
import type { Rehearsed } from './rehearsal';

export interface ListenerOptions {
  account: Account;
  /** Of the relay. */
  name: string;
  /** The status to answer with. Never rejects. */
  answer(heard: Heard): Promise<number>;
  /** `url`: where the sandbox takes notifications. Called once. */
  onOpen(url: string): void;
  onCut(): void;
  /** `trigger` asks to play this scenario with what comes next. */
  onRehearsal(scenario: Rehearsed): void;
}

const windowMs = 45_000;
const pauseMinMs = 200;
const pauseMaxMs = 2_000;
const answersMax = 1_000;
const serverErrors = 500;

/** Takes what comes to a relay, answers it, and comes back after a cut. */
export class Listener {
  /** Of the latest notifications by id: one that comes again after a cut is not handled again. */
  private readonly answers = new Map<string, Promise<number>>();
  private readonly stopping = new AbortController();
  private isOpened = false;
  private isReplaced = false;
  private pauseMs = pauseMinMs;

  constructor(private readonly options: ListenerOptions) {}

  stop(): void {
    this.stopping.abort();
  }

  /** Resolves after `stop`. @throws CommandError when the platform refuses, or another listener has the URL */
  async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const isAgain = await this.connection();
      if (this.isReplaced)
        throw new CommandError('another listener has taken this URL: give one of them another --name', exitCodes.bad);
      if (isAgain || signal.aborted) continue;
      this.options.onCut();
      // Rejects when `stop` ends the pause, which the loop sees.
      await pause(this.pauseMs, undefined, { signal }).catch(() => undefined);
      this.pauseMs = Math.min(this.pauseMs * 2, pauseMaxMs);
    }
    await this.options.account.call('the end', { method: 'DELETE', path: `/pluto/relay/${this.options.name}` });
  }

  /** True when the platform asked to come again. */
  private async connection(): Promise<boolean> {
    let isAgain = false;
    try {
      const profile = await this.options.account.profile();
      await readRelay(profile, { name: this.options.name, signal: this.stopping.signal }, line => {
        if (line.type === 'again') isAgain = true;
        this.take(line, profile.url);
      });
    } catch (error) {
      if (!this.isWorthAnotherTry(error)) throw error;
    }
    return isAgain;
  }

  /** Once it was open, a platform that cannot be reached or fails is waited for; a refusal is final. */
  private isWorthAnotherTry(error: unknown): boolean {
    if (this.stopping.signal.aborted) return true;
    if (!this.isOpened) return false;
    return !(error instanceof CommandError) || error.exitCode === exitCodes.unreachable || / answered 5\d\d/.test(error.message);
  }

  private take(line: RelayLine, url: string): void {
    if (line.type === 'replaced') this.isReplaced = true;
    if (line.type === 'open') {
      this.pauseMs = pauseMinMs;
      if (!this.isOpened) this.options.onOpen(url + line.path);
      this.isOpened = true;
    }
    if (line.type === 'rehearsal') this.options.onRehearsal(line.scenario);
    if (line.type === 'notification') void this.answer({ ...line, body: Buffer.from(line.body, 'base64') });
  }

  private async answer(heard: Heard): Promise<void> {
    const giveUpAt = performance.now() + windowMs;
    const known = this.answers.get(heard.id);
    // The call that began this answer also returns it to the relay.
    if (known) return;
    const answer = this.options.answer(heard);
    this.answers.set(heard.id, answer);
    if (this.answers.size > answersMax) this.answers.delete(this.answers.keys().next().value!);
    const body = JSON.stringify({ id: heard.id, status: await answer });
    while (performance.now() < giveUpAt && !(await this.isBroughtBack(body))) await pause(pauseMinMs);
  }

  /** Also when nobody waits for the answer any more (410). */
  private async isBroughtBack(body: string): Promise<boolean> {
    try {
      const profile = await this.options.account.profile();
      const path = `/pluto/relay/${this.options.name}/answers`;
      const { status } = await send(profile, { method: 'POST', path, body, authorization: profile.authorization });
      return status < serverErrors;
    } catch (error) {
      if (error instanceof CommandError) return false; // cut: once more
      throw error;
    }
  }
}
