/** Creates codes, pays one and reads the notification with openapi-fetch and the types of openapi-typescript; prints each number as it was read. */
import { setTimeout as pause } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { paths } from './paycode';

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

function read<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

async function main(): Promise<void> {
  const order = JSON.parse(process.argv[2]!) as Given;
  const { merchantId, expiryDate } = order;
  const authorization = `Basic ${Buffer.from(`${order.username}:${order.password}`).toString('base64')}`;
  const client = createClient<paths>({ baseUrl: order.baseUrl, headers: { authorization } });
  const notificationOf = async (transactionId: number) => {
    const giveUpAt = performance.now() + patienceMs;
    for (;;) {
      // A moment after the payment there may be nothing to read yet.
      const answer = await client.GET('/pluto/purchase/notification/{transactionId}', { params: { path: { transactionId } } });
      if (answer.response.status !== 404 || performance.now() > giveUpAt) return read(answer);
      await pause(200);
    }
  };
  const create = async (merchantReference: string, amount: string, currencyCode: string) => {
    const body = { merchantId, merchantReference, amount: Number(amount), currencyCode, expiryDate, requestTip: true };
    const { code } = read(await client.POST('/pluto/code/create', { body }));
    return read(await client.GET('/pluto/code/{code}', { params: { path: { code } } }));
  };

  const body = { merchantId, url: order.url, version: 'V3' as const };
  const { encryptKey } = read(await client.POST('/portal/restful/merchant/notification/addHttp', { body }));
  const kept = [];
  for (const { amount, currencyCode } of order.amounts) {
    const found = await create(`${order.reference}-${amount}`, amount, currencyCode);
    kept.push({ code: found.code, amount: String(found.amount) });
  }
  const code = await create(order.reference, order.amount, 'ZAR');
  const paid = await client.POST('/public/pay/{code}', {
    params: { path: { code: code.code } },
    body: { outcome: 'SUCCESS', clientMsisdn: '+27820000001', tipAmount: 0.5 },
  });
  const told = await notificationOf(read(paid).transactionId);
  const numbers = {
    encryptKey,
    kept,
    code: code.code,
    expiryDate: String(code.expiryDate),
    merchantId: String(told.merchantId),
    transactionId: String(told.transactionId),
    referenceTransactionId: String(told.referenceTransactionId),
    retrievalReferenceNumber: String(told.bankResponse.retrievalReferenceNumber),
    amount: String(told.amount),
    tipAmount: String(told.tipAmount),
  };
  process.stdout.write(`${JSON.stringify(numbers)}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
});
