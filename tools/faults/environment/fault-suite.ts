import { FaultPlatform } from './fault-platform.ts';
import { type FaultPlatformOptions, patienceMs } from './fault-settings.ts';

/** Longest a case may take. */
const caseMs = 3 * patienceMs;

export interface FaultSuite {
  platform: FaultPlatform;
  /** One case, by its number in the protocol's table. Afterwards everything is healed, and the exact audit covers all payments so far. */
  faultCase(number: number, what: string, play: () => Promise<void>): void;
}

/** Says why a case cannot run here, and has it counted as skipped. */
export function notRun(number: number, what: string, reason: string): void {
  process.stderr.write(`case ${number} does not run: ${reason}\n`);
  (reason ? it.skip : it)(`case ${number}: ${what} - not run: ${reason}`, () => undefined);
}

/** Cases that share one platform, started once. `suite.platform` is there while cases run. */
export function faultSuite(title: string, options: FaultPlatformOptions, define: (suite: FaultSuite) => void): void {
  describe(title, () => {
    const suite: FaultSuite = {
      platform: undefined as unknown as FaultPlatform,
      faultCase: (number, what, play) => it(`case ${number}: ${what}`, play, caseMs),
    };
    beforeAll(async () => {
      suite.platform = await FaultPlatform.start(options);
    }, 2 * patienceMs);
    afterEach(async () => {
      await suite.platform.heal();
      await suite.platform.exactAudit();
    }, 2 * patienceMs);
    afterAll(() => suite.platform.close(), patienceMs);
    define(suite);
  });
}
