/** Creates a code, pays it and reads the notification with the generated TypeScript client; prints each number as it was read. */
import { setTimeout as pause } from 'node:timers/promises';
import {
  CodesApi,
  Configuration,
  MerchantNotificationsApi,
  PublicPagesApi,
  RecoveryApi,
  ResponseError,
  type TransactionNotificationV3,
} from './client';

interface Given {
  baseUrl: string;
  username: string;
  password: string;
  merchantId: number;
  url: string;
  reference: string;
  amount: string;
  amounts: { amount: string; currencyCode: string }[];
  expiryDate: number;
}

const patienceMs = 120_000;

/** A moment after the payment there may be nothing to read yet. */
async function notificationOf(api: RecoveryApi, transactionId: number): Promise<TransactionNotificationV3> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    try {
      return await api.getNotification({ transactionId });
    } catch (error) {
      if (!(error instanceof ResponseError) || error.response.status !== 404 || performance.now() > giveUpAt) throw error;
      await pause(200);
    }
  }
}

async function main(): Promise<void> {
  const { baseUrl, username, password, merchantId, url, reference, amount, amounts, expiryDate } = JSON.parse(
    process.argv[2]!,
  ) as Given;
  const configuration = new Configuration({ basePath: baseUrl, username, password });
  const notifications = new MerchantNotificationsApi(configuration);
  const stored = await notifications.addHttp({ addHttpRequest: { merchantId, url, version: 'V3' } });
  const entries = await notifications.listNotifications({ merchantRequest: { merchantId } });
  const codes = new CodesApi(configuration);
  const create = async (merchantReference: string, digits: string, currencyCode: string) => {
    const order = { merchantReference, amount: Number(digits), currencyCode };
    const created = await codes.createCode({ createCodeBody: { merchantId, ...order, expiryDate, requestTip: true } });
    return codes.getCode({ code: created.code });
  };
  const kept = [];
  for (const { amount: digits, currencyCode } of amounts) {
    const made = await create(`${reference}-${digits}`, digits, currencyCode);
    kept.push({ code: made.code, amount: String(made.amount) });
  }
  const code = await create(reference, amount, 'ZAR');
  const payment = await new PublicPagesApi(configuration).payCode({
    code: code.code,
    paymentBody: { outcome: 'SUCCESS', clientMsisdn: '+27820000001', tipAmount: 0.5 },
  });
  const told = await notificationOf(new RecoveryApi(configuration), payment.transactionId);
  const read = {
    encryptKey: stored.encryptKey,
    entries: entries.map(entry => entry.value),
    kept,
    code: code.code,
    state: code.state,
    expiryDate: String(code.expiryDate),
    merchantId: String(told.merchantId),
    transactionId: String(told.transactionId),
    referenceTransactionId: String(told.referenceTransactionId),
    retrievalReferenceNumber: String(told.bankResponse.retrievalReferenceNumber),
    amount: String(told.amount),
    tipAmount: String(told.tipAmount),
  };
  process.stdout.write(`${JSON.stringify(read)}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
});
