/**
 * `npm run bench -- restart`: a standalone dispatcher is killed (-9) while a merchant thinks about a notification. How long until the merchant
 * gets it again, beside how long the new process takes to be ready (P-T10). Then a second dispatcher runs beside it, is killed while merchants think, and
 * nobody starts it again: how long until the first one has posted everything that it held, and nothing else (P-T11).
 */
import { setTimeout as pause } from 'node:timers/promises';
import { PlatformConnection } from '../../libs/platform-client/src/platform-connection.ts';
import { OwnPlatform } from './testing/own-platform.ts';
import { openShops, type Shop } from './game-day/shops.ts';
import { SecondDispatcher } from './testing/second-dispatcher.ts';
import { CountingReceiver } from './testing/counting-receiver.ts';

/** The supervisor restarts a service almost at once for the first times only; later ones show its pauses. */
const rounds = 3;
const roundMsMax = 120_000;
const pollMs = 5;
const service = 'webhook-dispatcher';
/** Payments of a round with two dispatchers: enough that the second one has some. */
const paymentsMin = 10;
const paymentsMax = 100;

interface Round {
  readyMs: number;
  postedMs: number;
}

/** Instants at which the shop was asked; it never answers the first. */
function hangOnce({ receiver }: Shop): number[] {
  const asked: number[] = [];
  receiver.answer = async () => {
    asked.push(performance.now());
    if (asked.length === 1) await pause(roundMsMax, undefined, { ref: false });
    return 200;
  };
  return asked;
}

async function until<T>(what: string, found: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const giveUpAt = performance.now() + roundMsMax;
  while (performance.now() < giveUpAt) {
    const value = await found();
    if (value !== undefined) return value;
    await pause(pollMs);
  }
  throw new Error(`${what}: not within ${roundMsMax} ms`);
}

async function play(home: string, shop: Shop, turn: number): Promise<Round> {
  const asked = hangOnce(shop);
  const { code } = await shop.merchant.createCode({ merchantReference: `restart-${turn}`, amount: '25.50', currencyCode: 'ZAR' });
  await shop.merchant.pay(code);
  await until('the first POST', () => asked[0]);
  const { processes, internal } = new PlatformConnection(home).standalone;
  process.kill(processes[service]!, 'SIGKILL');
  const killedAt = performance.now();
  const isReady = () =>
    fetch(`${internal[service]!}/health/ready`).then(
      ({ status }) => (status === 200 ? performance.now() : undefined),
      // Nobody listens yet.
      () => undefined,
    );
  const [readyAt, postedAt] = await Promise.all([until('ready', isReady), until('the second POST', () => asked[1])]);
  return { readyMs: readyAt - killedAt, postedMs: postedAt - killedAt };
}

interface Inheritance {
  held: number;
  postedMs: number;
  /** Second POSTs of what the killed one did not hold. */
  strange: number;
}

/** Payments that wait at both dispatchers, until the second one dies. */
async function inherit(home: string, shop: Shop, turn: number): Promise<Inheritance> {
  const receiver = await CountingReceiver.start();
  await shop.merchant.addHttp(receiver.url);
  receiver.answers = ({ attempt }) => attempt > 1;
  const second = await SecondDispatcher.start(home);
  const { asked } = receiver;
  const heldBy = (from: string) => asked.filter(each => each.attempt === 1 && each.from === from).map(each => each.transactionId);
  for (let paid = 0; paid < paymentsMax && (paid < paymentsMin || heldBy(second.address).length === 0); paid++) {
    const details = { merchantReference: `second-${turn}-${paid}`, amount: '25.50', currencyCode: 'ZAR' };
    const { code } = await shop.merchant.createCode(details);
    await shop.merchant.pay(code);
    await until('the first POST', () => asked[paid]);
  }
  const held = new Set(heldBy(second.address));
  if (held.size === 0) throw new Error(`the second dispatcher had none of ${paymentsMax} payments`);
  await second.kill();
  const killedAt = performance.now();
  const again = () => asked.filter(({ attempt }) => attempt > 1);
  await until(
    'the POSTs of what was held',
    () => again().filter(each => held.has(each.transactionId)).length >= held.size || undefined,
  );
  const postedMs = Math.max(...again().map(({ atMs }) => atMs)) - killedAt;
  receiver.letGo();
  await receiver.stop();
  return { held: held.size, postedMs, strange: again().length - held.size };
}

async function secondReplica(home: string, shop: Shop): Promise<void> {
  console.log('from kill -9 of one of two, ms           held  posted again by the other  second POSTs without cause');
  for (let turn = 0; turn < rounds; turn++) {
    const { held, postedMs, strange } = await inherit(home, shop, turn);
    console.log(
      `${' '.repeat(38)}${String(held).padStart(6)}  ${postedMs.toFixed(0).padStart(25)}  ${String(strange).padStart(26)}`,
    );
  }
}

async function main(): Promise<void> {
  const platform = await OwnPlatform.start();
  try {
    const [shop] = (await openShops(new PlatformConnection(platform.home), 1)) as [Shop];
    const played: Round[] = [];
    for (let turn = 0; turn < rounds; turn++) played.push(await play(platform.home, shop, turn));
    await shop.receiver.stop();
    console.log('from kill -9 of the dispatcher, ms  ready  posted again');
    for (const { readyMs, postedMs } of played)
      console.log(`${' '.repeat(35)}${readyMs.toFixed(0).padStart(5)}  ${postedMs.toFixed(0)}`);
    const ratios = played.map(({ readyMs, postedMs }) => (postedMs / readyMs).toFixed(2));
    console.log(`posted again / ready: ${ratios.join(' ')}`);
    await secondReplica(platform.home, shop);
  } finally {
    await platform.stop();
  }
}

await main();
