import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../testing/platform-process';
import { describeClient } from './describe-client';
import { describeLiveRound } from './describe-live-round';
import { describeReceiver } from './describe-receiver';
import { describeArrival, describeTorture } from './describe-torture';
import { describeVectors } from './describe-vectors';
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
