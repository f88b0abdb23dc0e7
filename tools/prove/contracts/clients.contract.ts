import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExactNumber, parseExactJson } from '@paycode/dto';
import { MerchantReceiver } from '@paycode/platform-client';
import { generateClients, javaProgram, pythonProgram, resultOf, typescriptProgram } from './generated-clients';
import { MerchantEnvironment } from './merchant-environment';
import type { Toolchain } from './toolchain';

jest.setTimeout(900_000);

const tools = JSON.parse(process.env['CONTRACTS_TOOLCHAIN']!) as Toolchain;
const exactFields = new Set(['amount', 'tipAmount']);
/** 15 digits, as many as an amount may have and as a binary float keeps. */
const amount = '9876543210123.25';
/** In the year 2100: beyond 32 bits, as every instant in milliseconds. */
const expiryDate = 4_102_444_800_123;

/** The same decimal without zeros that say nothing: a float has lost them. */
const valueOf = (digits: unknown) =>
  String(digits)
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');

/** The numbers of a notification as its text has them. */
function asSent(text: string): Record<string, unknown> {
  const sent = parseExactJson(text, exactFields) as Record<string, unknown> & { bankResponse: Record<string, unknown> };
  return {
    code: sent['code'],
    transactionId: String(sent['transactionId']),
    referenceTransactionId: '0',
    retrievalReferenceNumber: String(sent.bankResponse['retrievalReferenceNumber']),
    amount: valueOf((sent['amount'] as ExactNumber).digits),
    tipAmount: valueOf((sent['tipAmount'] as ExactNumber).digits),
  };
}

describe('clients that openapi-generator writes from the contract', () => {
  const folder = mkdtempSync(join(tmpdir(), 'contracts-'));
  beforeAll(() => generateClients(tools, folder));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['Python', () => pythonProgram(tools, folder)],
    ['Java', () => javaProgram(tools, folder)],
    ['TypeScript', (caFile: string) => typescriptProgram(folder, caFile)],
  ] as const)(
    'the %s client compiles, sets a URL, creates a code, pays and reads; every number is the one that was sent (R-2.5-2, R-2.5-3, A-57)',
    async (_, make) => {
      const environment = new MerchantEnvironment(process.env['CONTRACTS_HOME']!);
      const { baseUrl, caFile } = environment.platform.standalone;
      const [program, credentials] = [await make(caFile), await environment.prepare()];
      const receiver = await MerchantReceiver.start();
      try {
        const { merchantId } = environment;
        const order = { merchantId, url: receiver.url, reference: `generated-${merchantId}`, amount, expiryDate };
        const read = await resultOf(program, { baseUrl, caFile, ...credentials, ...order });
        const text = await environment.read(`/pluto/purchase/notification/${String(read['transactionId'])}`);
        expect({ ...read, amount: valueOf(read['amount']), tipAmount: valueOf(read['tipAmount']) }).toEqual({
          ...asSent(text),
          encryptKey: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
          entries: [receiver.url],
          state: 'LIVE',
          expiryDate: String(expiryDate),
          merchantId: String(merchantId),
        });
        expect(valueOf(read['amount'])).toBe('9876543210123.75');
      } finally {
        await receiver.stop();
      }
    },
  );
});
