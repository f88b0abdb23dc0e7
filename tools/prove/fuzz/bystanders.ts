import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Caller, FuzzEnvironment } from './environment.ts';
import type { Target } from './raw-client.ts';

/** A valid call, to which 200 is the right answer. */
interface BystanderCall {
  name: string;
  path: string;
  /** Asked for each request, because the token of a session changes. */
  authorization: () => string | Promise<string>;
  /** With a body it is a POST. */
  body?: () => unknown;
}

/** A later answer counts as failed; even a busy machine answers much faster. */
const answerWithinMs = 120_000;
const everyMs = 100;
const failuresMax = 20;
/** A token is valid for 15 minutes. */
const logInEveryMs = 300_000;
/** No hostile request comes from this address. */
const from = process.platform === 'linux' ? { localAddress: '127.63.0.1' } : {};

/** Valid calls at a steady rate, for accounts and from an address without hostile traffic. */
export class Bystanders {
  calls = 0;
  readonly failures: string[] = [];
  private isOver = false;
  private readonly running: Promise<void>;

  constructor({ url, ca }: Target, calls: BystanderCall[]) {
    const dispatcher = new Agent({ connect: { ca, ...from } });
    const call = async ({ path, authorization, body }: BystanderCall) => {
      const headers = { authorization: await authorization(), ...(body && { 'content-type': 'application/json' }) };
      const options = { headers, dispatcher, signal: AbortSignal.timeout(answerWithinMs) };
      const answer = await request(url + path, { ...options, ...(body && { method: 'POST', body: JSON.stringify(body()) }) });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${text.slice(0, 300)}`);
    };
    const run = async () => {
      for (; !this.isOver; this.calls += calls.length)
        await Promise.all([...calls.map(each => call(each).catch((error: Error) => this.failed(each, error))), pause(everyMs)]);
      await dispatcher.destroy();
    };
    this.running = run();
  }

  stop(): Promise<void> {
    this.isOver = true;
    return this.running;
  }

  private failed({ name }: BystanderCall, { message }: Error): void {
    if (this.failures.length < failuresMax) this.failures.push(`${name}: ${message}`);
  }
}

/** Calls of two merchants that no hostile request names: one uses Basic, one Bearer. */
export async function bystanderCalls(environment: FuzzEnvironment): Promise<BystanderCall[]> {
  const [basic, other] = [await environment.makeMerchant(), await environment.makeMerchant()];
  const [codeOfBasic, codeOfBearer] = [await environment.makeCode(basic.caller), await environment.makeCode(other.caller)];
  let bearer: Caller = await environment.bearer(other.caller);
  let loggedInAt = performance.now();
  const withBasic = () => basic.caller.authorization;
  const withBearer = async () => {
    if (performance.now() - loggedInAt > logInEveryMs) {
      bearer = await environment.logIn(bearer);
      loggedInAt = performance.now();
    }
    return bearer.authorization;
  };
  const code = () => ({ merchantReference: `bystander-${randomInt(2 ** 40)}`, amount: 1.5, currencyCode: 'ZAR' });
  return [
    { name: 'Basic getCode', path: `/pluto/code/${codeOfBasic}`, authorization: withBasic },
    { name: 'Bearer getCode', path: `/pluto/code/${codeOfBearer}`, authorization: withBearer },
    { name: 'Basic createCode', path: '/pluto/code/create', authorization: withBasic, body: code },
  ];
}
