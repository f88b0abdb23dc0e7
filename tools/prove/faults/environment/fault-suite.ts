import { FaultPlatform } from './fault-platform.ts';
import { type FaultPlatformOptions, patienceMs } from './fault-settings.ts';

/** Longest a case may take. */
const caseMs = 3 * patienceMs;

export interface FaultSuite {
  platform: FaultPlatform;
  /** One case, by its number in the protocol's table. Afterwards everything is healed, and the exact audit covers all payments so far. */
  faultCase(number: number, what: string, play: () => Promise<void>): void;
  /** The same for a case with requirements on the machine: with an obstacle it prints the reason and counts as skipped. */
  faultCaseUnless(obstacle: string | undefined, ...fault: Parameters<FaultSuite['faultCase']>): void;
}

export interface FaultSuiteOptions extends FaultPlatformOptions {
  /** Missing requirement of these cases: nothing is started then, and each case prints why it does not run. */
  obstacle?: string;
}

/** Cases that share one platform, started once. `suite.platform` is there while cases run. */
export function faultSuite(
  title: string,
  { obstacle, ...options }: FaultSuiteOptions,
  define: (suite: FaultSuite) => void,
): void {
  (obstacle ? describe.skip : describe)(title, () => {
    const suite: FaultSuite = {
      platform: undefined as unknown as FaultPlatform,
      faultCase: (...fault) => suite.faultCaseUnless(obstacle, ...fault),
      faultCaseUnless: (hindrance, ...fault) => {
        const [number, what, play] = fault;
        const notRun = hindrance ? ` (not run: ${hindrance})` : '';
        (hindrance ? it.skip : it)(`case ${number}: ${what}${notRun}`, play, caseMs);
      },
    };
    beforeAll(async () => {
      suite.platform = await FaultPlatform.start(options);
    }, 2 * patienceMs);
    afterEach(async () => {
      await suite.platform.heal();
      await suite.platform.exactAudit();
    }, 2 * patienceMs);
    afterAll(() => suite.platform?.close(), patienceMs);
    define(suite);
  });
}
