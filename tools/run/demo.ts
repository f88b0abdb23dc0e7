/** `npm run demo`: plays a merchant on the running platform. Exits 0 only when one payment was settled and one reversed. */
import { setTimeout as pause } from 'node:timers/promises';
import { styleText } from 'node:util';
import { readCallerTls } from '../../libs/platform-client/src/http/mutual-tls.ts';
import { MerchantReceiver, type ReceivedWebhook } from '../../libs/platform-client/src/merchant-receiver.ts';
import { accepted, type DeliveryTimeline, Merchant, type ReversalState } from '../../libs/platform-client/src/merchant.ts';
import {
  type Credentials,
  PlatformConnection,
  PlatformNotRunningError,
} from '../../libs/platform-client/src/platform-connection.ts';

/** Prints the story of a demo, with the time since its chapter began. */
class Narrator {
  private startedAt = performance.now();

  chapter(title: string): void {
    this.startedAt = performance.now();
    this.print(`\n${styleText('bold', title)}\n${'-'.repeat(title.length)}`);
  }

  /** One thing that happened, by whom. */
  step(who: string, text: string): void {
    const seconds = `${((performance.now() - this.startedAt) / 1_000).toFixed(2)} s`;
    this.print(`${styleText('dim', seconds.padStart(8))}  ${who.padEnd(9)} ${text}`);
  }

  /** Lines that belong to the last step. */
  detail(text: string): void {
    this.print(styleText('dim', text.replace(/^/gm, ' '.repeat(20))));
  }

  result(text: string, isGood: boolean): void {
    this.print(styleText(isGood ? 'green' : 'red', text));
  }

  print(text: string): void {
    process.stdout.write(`${text}\n`);
  }
}

const pollMs = 25;
/** Longer than the acknowledgement window with all its margins, so that it covers a silent receiver. */
const withinMs = 90_000;

type Decided = ReversalState & { state: 'SETTLED' | 'REVERSED' };

interface Watch {
  merchant: Merchant;
  transactionId: number;
  narrator: Narrator;
  /** Told once, when the notification has left the platform: the shop's side of the story comes here. */
  onSent: () => Promise<void>;
}

const sent = 'encrypted the notification and sent it';

/** Follows a payment until it is decided and tells each step when it is first seen. Throws when nothing is decided in time. */
async function watchSettlement({ merchant, transactionId, narrator, onSent }: Watch): Promise<Decided> {
  const told = new Set<string>();
  const giveUpAt = performance.now() + withinMs;
  while (performance.now() < giveUpAt) {
    const [delivery, reversal] = await Promise.all([merchant.delivery(transactionId), merchant.reversal(transactionId)]);
    for (const fact of factsOf(delivery, reversal).filter(each => !told.has(each))) {
      told.add(fact);
      narrator.step('platform', fact);
      if (fact === sent) await onSent();
    }
    if (reversal && isDecided(reversal)) return reversal;
    await pause(pollMs);
  }
  throw new Error(`payment ${transactionId} was not decided within ${withinMs / 1_000} s`);
}

function isDecided(reversal: ReversalState): reversal is Decided {
  return reversal.state !== 'ARMED';
}

/** The facts that are known about the payment now, oldest first. */
function factsOf(delivery: DeliveryTimeline | undefined, reversal: ReversalState | undefined): string[] {
  const facts = delivery ? ['recorded the finished payment'] : [];
  // The two services were asked at the same time, and the attempt is recorded before its reversal is armed. So it was sent after
  // that.
  if (!reversal && !delivery?.armedAt) return facts;
  facts.push('armed a reversal: unless the merchant acknowledges, the money goes back');
  facts.push(...(delivery?.attempts ?? []).flatMap(attemptFacts));
  return reversal ? [...facts, ...decisionFacts(reversal)] : facts;
}

function decisionFacts({ state, reason }: ReversalState): string[] {
  if (state === 'ARMED') return [];
  return [state === 'SETTLED' ? 'settled the payment; the reversal is cancelled' : `reverses the payment (reason: ${reason})`];
}

function attemptFacts({ attempt, outcome, elapsedMs }: DeliveryTimeline['attempts'][number]): string[] {
  const sent = attempt > 1 ? `sent the notification again (attempt ${attempt})` : 'encrypted the notification and sent it';
  return outcome === null
    ? [sent]
    : [sent, `got the merchant's answer: ${outcome}${elapsedMs === null ? '' : ` after ${elapsedMs} ms`}`];
}

const webhookWithinMs = 60_000;
const finalStateWithinMs = 30_000;

interface Demo {
  platform: PlatformConnection;
  merchant: Merchant;
  receiver: MerchantReceiver;
  narrator: Narrator;
}

/** Plays a merchant on a running platform: one payment it acknowledges, one it does not. True when both ended as they must. */
async function runDemo(platform: PlatformConnection): Promise<boolean> {
  const narrator = new Narrator();
  narrator.print(introduction);
  const merchant = await openShop(platform);
  const receiver = await MerchantReceiver.start(process.env['DEMO_RECEIVER_ADDRESS']);
  const demo = { platform, merchant, receiver, narrator };
  try {
    await register(demo);
    const first = await acknowledgedPayment(demo);
    const second = await refusedPayment(demo);
    narrator.chapter('Result');
    narrator.result(`payment ${first.transactionId} (the merchant answered 200): ${first.end}`, first.end === 'SETTLED');
    narrator.result(`payment ${second.transactionId} (the merchant answered 503): ${second.end}`, second.end === 'REVERSED');
    return first.end === 'SETTLED' && second.end === 'REVERSED';
  } finally {
    await receiver.stop();
    await closeShop(platform);
    narrator.print(
      '\n(The demo took its web server off the platform again and closed its shop, merchant 1900. Other merchants were not touched.)',
    );
  }
}

const introduction = `
A customer pays a shop with a 10-digit code. The shop is told by an encrypted message to its web server (a "webhook"). If the shop
answers 200 within 45 seconds, it keeps the money. Any other answer, or none, and the customer gets the money back.

This demo is the shop: it runs a web server on this machine and takes two payments.`;

async function register({ merchant, receiver, narrator }: Demo): Promise<void> {
  narrator.chapter('The shop tells the platform where to send notifications');
  narrator.step('shop', `started a web server on ${receiver.url}`);
  receiver.encryptKey = await merchant.addHttp(receiver.url);
  narrator.step('platform', `called it once to see that it answers, and stored it (${receiver.probes} test call arrived)`);
  narrator.step('shop', `got its own key to decrypt notifications with: ${receiver.encryptKey.slice(0, 6)}… (32 hex digits)`);
}

interface End {
  transactionId: number;
  end: string;
}

async function acknowledgedPayment(demo: Demo): Promise<End> {
  demo.narrator.chapter('Payment 1: the shop acknowledges');
  demo.receiver.answer = () => 200;
  const transactionId = await pay(demo, '25.50');
  const { state } = await watchSettlement({ ...demo, transactionId, onSent: () => printWebhook(demo, transactionId) });
  const { status } = await demo.merchant.transaction(transactionId);
  demo.narrator.step('bank', `the payment stands: ${status}`);
  return { transactionId, end: status === 'SUCCESS' ? state : `${state}, but the bank says ${status}` };
}

async function refusedPayment(demo: Demo): Promise<End> {
  const { merchant, receiver, narrator } = demo;
  narrator.chapter('Payment 2: the shop does not acknowledge');
  receiver.answer = ({ status }) => (status === 'SUCCESS' ? 503 : 200);
  const transactionId = await pay(demo, '12.00');
  const { state } = await watchSettlement({ ...demo, transactionId, onSent: () => printWebhook(demo, transactionId) });
  const status = await finalStatus(merchant, transactionId);
  narrator.step('bank', `the customer has the money back: ${status}`);
  const notice = await receiver.webhook(
    ({ referenceTransactionId }) => referenceTransactionId === transactionId,
    webhookWithinMs,
  );
  narrator.step('shop', 'was told of it by a second notification');
  showNotification(demo, notice);
  const isNotified = notice.notification.status === 'REVERSED';
  return { transactionId, end: status === 'REVERSED' && isNotified ? state : `${state}, but the bank says ${status}` };
}

async function pay({ merchant, narrator }: Demo, amount: string): Promise<number> {
  const merchantReference = `demo-${Date.now().toString(36)}`;
  const { code, codeUrl } = await merchant.createCode({ merchantReference, amount, currencyCode: 'ZAR' });
  narrator.step('shop', `made the payment code ${code} over ${amount} ZAR (${codeUrl})`);
  const transactionId = await merchant.pay(code);
  narrator.step('customer', `paid the code; this is payment ${transactionId}`);
  return transactionId;
}

async function printWebhook(demo: Demo, transactionId: number): Promise<void> {
  const webhook = await demo.receiver.webhook(each => each.transactionId === transactionId, webhookWithinMs);
  demo.narrator.step('shop', `received a notification and answered ${webhook.answered}`);
  showNotification(demo, webhook);
}

function showNotification({ narrator }: Demo, { body, plaintext }: ReceivedWebhook): void {
  narrator.detail(`as it came: ${body.slice(0, 70)}… (${body.length} characters)`);
  narrator.detail(`decrypted:\n${folded(plaintext, 100)}`);
}

/** The text on lines of at most `width`, broken after commas. */
function folded(text: string, width: number): string {
  const lines: string[] = [''];
  for (const part of text.split(/(?<=,)(?=")/)) {
    if (lines.at(-1)!.length + part.length > width) lines.push('');
    lines[lines.length - 1] += part;
  }
  return lines.join('\n');
}

/** The reversal reaches the bank a moment after it is decided. */
async function finalStatus(merchant: Merchant, transactionId: number): Promise<string> {
  const giveUpAt = performance.now() + finalStateWithinMs;
  for (;;) {
    const { status } = await merchant.transaction(transactionId);
    if (status === 'REVERSED' || performance.now() > giveUpAt) return status;
    await pause(25);
  }
}

const merchantId = 1900;
const pspId = 1900;

/** The demo's own shop and PSP: what others registered, and the accounts they use, stay as they are. */
async function openShop(platform: PlatformConnection): Promise<Merchant> {
  await saveMerchant(platform, 'ACTIVE');
  const [credentials, psp] = [
    await accountOf(platform, { type: 'MERCHANT', id: merchantId }),
    await accountOf(platform, { type: 'PSP', id: pspId }),
  ];
  return new Merchant(platform, { merchantId, credentials, psp });
}

/** The web server of the demo ends with it: no payment may be sent there any more. */
async function closeShop(platform: PlatformConnection): Promise<void> {
  const path = `/internal/merchants/${merchantId}/notifications/HTTP`;
  const answer = await platform.operator('notification-config', { method: 'DELETE', path });
  if (answer.status !== 404) accepted('removing the URL', answer);
  await saveMerchant(platform, 'SUSPENDED');
}

async function saveMerchant(platform: PlatformConnection, status: 'ACTIVE' | 'SUSPENDED'): Promise<void> {
  const body = { merchantName: 'Demo Shop', pspId, acquirer: 'Demo Bank', status };
  const call = { method: 'PUT', path: `/internal/merchants/${merchantId}`, body };
  accepted('the demo merchant', await platform.operator('notification-config', call));
}

/** The account with a new password: an earlier run may have made it. */
async function accountOf(platform: PlatformConnection, account: { type: 'MERCHANT' | 'PSP'; id: number }): Promise<Credentials> {
  const username = `${account.type.toLowerCase()}-${account.id}`;
  const operator = (path: string, body?: object) => platform.operator('auth-session', { method: 'POST', path, body });
  const made = await operator('/internal/accounts', account);
  const answer = made.status === 409 ? await operator(`/internal/accounts/${username}/password`) : made;
  const { apiPassword: password } = accepted(`the account ${username}`, answer) as { apiPassword: string };
  return { username, password };
}

try {
  const { PAYCODE_HOME, MUTUAL_TLS_CERT_FILE, MUTUAL_TLS_KEY_FILE, MUTUAL_TLS_CA_FILE } = process.env;
  const tls = readCallerTls({ certFile: MUTUAL_TLS_CERT_FILE, keyFile: MUTUAL_TLS_KEY_FILE, caFile: MUTUAL_TLS_CA_FILE });
  const platform = new PlatformConnection(PAYCODE_HOME ?? '.paycode', tls);
  process.exitCode = (await runDemo(platform)) ? 0 : 1;
} catch (error) {
  const text = error instanceof PlatformNotRunningError ? error.message : `The demo did not work: ${(error as Error).message}`;
  process.stderr.write(`\n${text}\n`);
  process.exitCode = 1;
}
