import { setTimeout as pause } from 'node:timers/promises';
import { MerchantReceiver, type ReceivedWebhook } from '../../../libs/platform-client/src/merchant-receiver.ts';
import { Merchant, accepted } from '../../../libs/platform-client/src/merchant.ts';
import type { PlatformConnection, Credentials } from '../../../libs/platform-client/src/platform-connection.ts';
import { Narrator, watchSettlement } from './watch-settlement.ts';

const webhookWithinMs = 60_000;
const finalStateWithinMs = 30_000;

interface Demo {
  platform: PlatformConnection;
  merchant: Merchant;
  receiver: MerchantReceiver;
  narrator: Narrator;
}

/** Plays a merchant on a running platform: one payment it acknowledges, one it does not. True when both ended as they must. */
export async function runDemo(platform: PlatformConnection): Promise<boolean> {
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
