/** Compares the time of kinds of requests: one connection, one request at a time, the kinds in turn. */
import { randomBytes } from 'node:crypto';
import { median } from '../bench/report.ts';
import { basic, type BenchClient, type Call, send } from './client.ts';

interface Kind {
  name: string;
  status: number;
  /** The next request of this kind. */
  next(): Call;
}

interface Timed {
  name: string;
  medianUs: number;
}

const warmUp = 50;

/** Median time of each kind, in microseconds. Throws when an answer is not the expected one. */
export async function timeInTurn(kinds: Kind[], rounds: number): Promise<Timed[]> {
  const times = kinds.map((): number[] => []);
  for (let round = 0; round < rounds + warmUp; round++) {
    // Rotated, so that no kind always follows the same other one.
    for (let i = 0; i < kinds.length; i++) {
      const at = (i + round) % kinds.length;
      const elapsedUs = await timeOf(kinds[at]!);
      if (round >= warmUp) times[at]!.push(elapsedUs);
    }
  }
  return kinds.map(({ name }, i) => ({ name, medianUs: Math.round(median(times[i]!)) }));
}

async function timeOf({ name, status, next }: Kind): Promise<number> {
  const call = next();
  const startedAt = performance.now();
  const answer = await send(call);
  const elapsedMs = performance.now() - startedAt;
  if (answer.status !== status) throw new Error(`${name}: expected ${status}, got ${answer.status}`);
  return elapsedMs * 1_000;
}

/** The groups of requests whose members an outsider must not be able to tell apart by time (T-01, T-06, T-07). */
export interface TimingNames {
  /** An account in Bearer mode with a key, and its password. */
  known: string;
  password: string;
  /** An account in Basic mode. */
  basicUser: string;
}

interface Group {
  title: string;
  kinds: Kind[];
}

const prepared = 100;
const unknown = 'psp-987654';
const wrongPassword = 'A'.repeat(27);

export async function timingGroups(client: BenchClient, names: TimingNames): Promise<Group[]> {
  return [basicGroup(client, names), ...loginGroups(client, names), ...(await challengeGroups(client, names))];
}

function basicGroup(client: BenchClient, { known, basicUser }: TimingNames): Group {
  const wrong = (username: string) => () => client.authorizeCall(basic({ username, password: wrongPassword }));
  return {
    title: 'Basic, wrong password',
    kinds: [
      { name: 'known account', status: 200, next: wrong(basicUser) },
      { name: 'unknown account', status: 200, next: wrong(unknown) },
      { name: 'account in Bearer mode', status: 200, next: wrong(known) },
    ],
  };
}

function loginGroups(client: BenchClient, { known, password }: TimingNames): Group[] {
  const plain = (identity: string) => () => client.loginCall(identity, wrongPassword);
  const forged = (identity: string, secret: string) => () => {
    const call = client.loginCall(identity, secret);
    const digest = () => randomBytes(32).toString('base64');
    const fields = { base64EncodedChallengeHash: digest(), base64EncodedChallengeResponse: digest() };
    return { ...call, body: { ...(call.body as object), ...fields } };
  };
  return [
    {
      title: 'login refused',
      kinds: [
        { name: 'wrong password', status: 401, next: plain(known) },
        { name: 'unknown identity', status: 401, next: plain(unknown) },
      ],
    },
    {
      title: 'login with a forged challenge refused',
      kinds: [
        { name: 'right password', status: 401, next: forged(known, password) },
        { name: 'wrong password', status: 401, next: forged(known, wrongPassword) },
        { name: 'unknown identity', status: 401, next: forged(unknown, wrongPassword) },
      ],
    },
  ];
}

async function challengeGroups(client: BenchClient, { known, basicUser }: TimingNames): Promise<Group[]> {
  const of = async (identity: string, bytes?: number) =>
    inTurn(await Promise.all(Array.from({ length: prepared }, () => client.challengeCall(identity, bytes))));
  // Below any modulus of this size, so that RSA itself runs and only the padding is wrong.
  const undecryptable = () => client.rawChallengeCall(known, Buffer.concat([Buffer.alloc(1), randomBytes(511)]));
  return [
    {
      title: 'login-challenges',
      kinds: [
        { name: 'identity with a key', status: 200, next: await of(known) },
        { name: 'identity in Basic mode', status: 200, next: await of(basicUser) },
        { name: 'unknown identity', status: 200, next: await of(unknown) },
      ],
    },
    {
      title: 'clientChallenge refused',
      kinds: [
        { name: 'not decryptable', status: 400, next: undecryptable },
        { name: '63 bytes', status: 400, next: await of(known, 63) },
        { name: '65 bytes, unknown identity', status: 400, next: await of(unknown, 65) },
      ],
    },
  ];
}

function inTurn(calls: Call[]): () => Call {
  let at = 0;
  return () => calls[at++ % calls.length]!;
}
