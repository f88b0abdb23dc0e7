import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

export interface ReceivedSms {
  to: string;
  from: string;
  coding: number;
  text: string;
}

/** A real SMPP server as a process of its own. */
export class TestSmsc {
  readonly messages: ReceivedSms[] = [];

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {
    child.on('message', message => {
      if ('text' in (message as object)) this.messages.push(message as ReceivedSms);
    });
  }

  /** `tls`: key and certificate in PEM; without them it speaks plain TCP. */
  static async start(tls?: { key: string; cert: string }): Promise<TestSmsc> {
    const env = { ...process.env, SMSC_TLS: tls ? JSON.stringify(tls) : '' };
    const child = fork(join(__dirname, 'smsc.cjs'), { execArgv: [], env });
    const { port } = await new Promise<{ port: number }>((resolve, reject) => {
      child.once('message', message => resolve(message as { port: number }));
      child.once('exit', code => reject(new Error(`the SMSC ended with ${code}`)));
    });
    return new TestSmsc(child, port);
  }

  /** How the next messages are answered: a command status, or `drop` to lose the connection; afterwards all are taken. */
  async answerNext(...statuses: (number | 'drop')[]): Promise<void> {
    const isPrepared = new Promise<void>(resolve => {
      const onMessage = (message: unknown): void => {
        if (!('isPrepared' in (message as object))) return;
        this.child.off('message', onMessage);
        resolve();
      };
      this.child.on('message', onMessage);
    });
    this.child.send({ statuses });
    await isPrepared;
  }

  async stop(): Promise<void> {
    const ended = new Promise(resolve => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await ended;
  }
}
