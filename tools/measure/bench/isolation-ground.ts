import type { CalledProcess } from './child-calls.ts';
import { type Contender, platformContender } from './contender.ts';
import type { BenchMerchant } from './merchants.ts';
import { type PlatformGround, PlatformUnderTest } from './platform-under-test.ts';

/** The fixture that the parts of bench:isolation share. */
export interface IsolationGround extends PlatformGround {
  receiver: CalledProcess;
  healthy: BenchMerchant[];
  /** One more that answers like these. */
  further: BenchMerchant;
  /** One merchant per endpoint that never answers. */
  hanging: BenchMerchant[];
}

let platforms = 0;

/** A platform on fresh databases: nothing of one measurement waits in the next. */
export function freshPlatform(ground: IsolationGround, dispatcher: Record<string, string> = {}): Promise<PlatformUnderTest> {
  return PlatformUnderTest.start({ ...ground, name: `isolation_${++platforms}`, dispatcher });
}

/** Payments of these merchants on that platform. */
export function loadOf(
  name: string,
  platform: PlatformUnderTest,
  ground: IsolationGround & { merchants: BenchMerchant[] },
): Promise<Contender> {
  return platformContender(name, platform, ground);
}
