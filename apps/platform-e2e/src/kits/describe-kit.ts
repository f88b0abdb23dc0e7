import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@paycode/service-runtime/testing';
import { makeMerchant, payNewCode, sharedPlatform } from '../testing/platform';
import { temporaryFolder } from '../testing/platform-process';
import { describeClient } from './describe-client';
import { describeReceiver } from './describe-receiver';
import { describeArrival, describeTorture } from './describe-torture';
import { describeVectors } from './describe-vectors';
import { KitProcess, notification, sealed } from './kit-process';
import { type KitUnderTest, type Program, type ReceiverKit, whyNot } from './receiver-kit';

/** All that every kit must do, in whatever language it is written, held against the package and not against its sources. */
export function describeKit(kit: ReceiverKit): void {
  const reason = whyNot(kit);
  const describeIfPossible = reason === undefined ? describe : describe.skip;
  describeIfPossible(`receiver kit for ${kit.name}${reason === undefined ? '' : ` (not run: ${reason})`}`, () => {
    const folder = temporaryFolder();
    let program: Program | undefined;
    let folders = 0;
    beforeAll(async () => {
      program = await kit.install(folder);
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    const underTest: KitUnderTest = { kit, program: () => program!, folder: () => join(folder, `process-${(folders += 1)}`) };

    describeVectors(underTest);
    describeReceiver(underTest);
    describe.each(kit.adapters)('served by %s', adapter => {
      describeLiveRound(underTest, adapter);
      describeTorture(underTest, adapter);
    });
    for (const adapter of kit.pools ?? []) describe(`served by ${adapter}`, () => describeArrival(underTest, adapter));
    describeClient(underTest);
    kit.alsoTested?.(underTest);
  });
}

/** Without the zero at the end, if the language's decimal type drops it. */
const paidAmount = /25\.50?/;

export function describeLiveRound({ program, folder }: KitUnderTest, adapter: string): void {
  let receiver: KitProcess;
  beforeAll(async () => {
    receiver = await KitProcess.start({ program: program(), folder: folder(), adapter });
  });
  afterAll(() => receiver?.stop());

  it('is registered before it has a key, is given it, and a payment settles (R-4.3-1, R-2.6-1)', async () => {
    const merchant = await makeMerchant(sharedPlatform());
    receiver.addKey(await merchant.addHttp(receiver.url));
    const transactionId = await payNewCode(merchant, '25.50');
    await eventually(async () => expect(await merchant.reversal(transactionId)).toMatchObject({ state: 'SETTLED' }));
    // The receiver's output may arrive after its answer.
    await eventually(() => expect(receiver.said(`handled ${transactionId} `)).not.toEqual([]));
    const [handled, ...others] = receiver.said(`handled ${transactionId} `);
    expect(handled).toMatch(new RegExp(`^handled ${transactionId} SUCCESS ${paidAmount.source} journey-`));
    expect(others).toEqual([]);
  });

  it('refuses an unreadable body, and a SUCCESS after its REVERSED, through this framework too (T-22)', async () => {
    expect(await receiver.post('not base64 at all!')).toBe('400 BAD_ENCODING');
    const key = receiver.addKey();
    const { text, transactionId } = notification();
    const reversal = notification({ status: 'REVERSED', referenceTransactionId: transactionId });
    expect(await receiver.post(sealed(reversal.text, key))).toBe('200 HANDLED');
    expect(await receiver.post(sealed(text, key))).toBe('409 REVERSED');
  });
}
