import { type ChildProcess, spawn } from 'node:child_process';
import { createCipheriv, randomBytes, randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { kitsFolder, type Program } from './receiver-kit';

const sampleOf = (name: string) => readFileSync(join(kitsFolder, `../libs/dto/samples/notifications/${name}.json`), 'utf8');
const sample = sampleOf('purchase-success');
export const allFields = sampleOf('purchase-success-all-fields');

/** A ceiling: a machine may do other work. */
const listeningWithinMs = 120_000;

export interface KitProcessOptions {
  program: Program;
  /** Holds store, keys, and the files that tell the handler what to do. */
  folder: string;
  adapter: string;
  when?: 'BEFORE' | 'AFTER';
  answerWithinMs?: number;
  /** The receiver is made without an error handler of its own. */
  isWithoutOnError?: boolean;
}

/** A kit's program, serving. Its handler fails for references that begin with `fail`, and waits for those with `hold`, while such a file exists. */
export class KitProcess {
  output = '';
  url = '';
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown>;
  private readonly keys: string[] = [];

  private constructor(private readonly options: KitProcessOptions) {
    const { program, folder, adapter, when = 'BEFORE', answerWithinMs = 40_000, isWithoutOnError = false } = options;
    mkdirSync(folder, { recursive: true });
    const env = {
      ...process.env,
      NODE_OPTIONS: '',
      ...program.env,
      KIT_FOLDER: folder,
      KIT_KEYS_FILE: this.file('keys'),
      KIT_WHEN: when,
      KIT_ANSWER_WITHIN_MS: String(answerWithinMs),
      KIT_ON_ERROR: isWithoutOnError ? 'DEFAULT' : 'OWN',
    };
    this.child = spawn(program.command, [...program.args, 'serve', adapter], { cwd: program.cwd, env, detached: true });
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.exited = new Promise(resolve => this.child.once('exit', resolve));
  }

  static async start(options: KitProcessOptions): Promise<KitProcess> {
    const kit = new KitProcess(options);
    try {
      await kit.untilListening();
    } catch (error) {
      await kit.stop();
      throw error;
    }
    kit.url = `http://127.0.0.1:${/^listening (\d+)$/m.exec(kit.output)![1]}/paycode`;
    return kit;
  }

  private async untilListening(): Promise<void> {
    const giveUpAt = performance.now() + listeningWithinMs;
    while (!/^listening \d+$/m.test(this.output)) {
      if (this.hasExited || performance.now() > giveUpAt) throw new Error(`the program does not listen:\n${this.output}`);
      await Promise.race([pause(20), this.exited]);
    }
  }

  private get hasExited(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  file(name: string): string {
    return join(this.options.folder, name);
  }

  /** Ends the handlers that wait. */
  letGo(): void {
    rmSync(this.file('hold'));
  }

  /** Gives the receiver another key, first in its list. */
  addKey(key = randomBytes(16).toString('hex')): string {
    this.keys.unshift(key);
    writeFileSync(this.file('keys'), this.keys.join('\n'));
    return key;
  }

  /** Lines that begin so. */
  said(beginning: string): string[] {
    return this.output.split('\n').filter(line => line.startsWith(beginning));
  }

  /** Posts a body as the dispatcher does; gives status and text of the answer. */
  async post(body: string, headers: Record<string, string> = {}): Promise<string> {
    const all = { 'Content-Type': 'text/plain; charset=utf-8', ...headers };
    const response = await fetch(this.url, { method: 'POST', body, headers: all });
    return `${response.status} ${(await response.text()).trim()}`;
  }

  async stop(): Promise<void> {
    if (!this.hasExited) process.kill(-this.child.pid!, 'SIGKILL');
    await this.exited;
  }
}

/** A notification of a new transaction, with some members changed. */
export function notification(members: Record<string, unknown> = {}, of = sample): { transactionId: number; text: string } {
  const changed: Record<string, unknown> = { transactionId: randomInt(1, 2 ** 47), ...members };
  const text = Object.entries(changed).reduce((json, [name, value]) => {
    return json.replace(new RegExp(`"${name}": [^,]+,`), `"${name}": ${JSON.stringify(value)},`);
  }, of);
  return { transactionId: changed['transactionId'] as number, text };
}

/** The body of a webhook, by node:crypto alone. */
export function sealed(text: string, key: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-128-gcm', Buffer.from(key, 'hex'), nonce);
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64');
}
