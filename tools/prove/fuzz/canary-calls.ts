import { randomInt } from 'node:crypto';
import type { CanaryCall } from './canary.ts';
import type { Caller, Ground } from './ground.ts';

/** A token is valid for 15 minutes, so the canary logs in again well before its end. */
const logInEveryMs = 300_000;

/** Calls of two merchants that no hostile request names: one uses Basic, one Bearer. */
export async function canaryCalls(ground: Ground): Promise<{ calls: CanaryCall[]; stop: () => void }> {
  const [basic, other] = [await ground.makeMerchant(), await ground.makeMerchant()];
  const [codeOfBasic, codeOfBearer] = [await ground.makeCode(basic.caller), await ground.makeCode(other.caller)];
  let bearer: Caller = await ground.bearer(other.caller);
  const timer = setInterval(() => {
    ground.logIn(bearer).then(
      next => (bearer = next),
      // The calls with the old token then fail, which is what the run reports.
      (error: unknown) => console.error(`the canary could not log in: ${(error as Error).message}`),
    );
  }, logInEveryMs);
  const withBasic = () => basic.caller.authorization;
  const withBearer = () => bearer.authorization;
  const code = () => ({ merchantReference: `canary-${randomInt(2 ** 40)}`, amount: 1.5, currencyCode: 'ZAR' });
  return {
    calls: [
      { name: 'Basic getCode', method: 'GET', path: `/pluto/code/${codeOfBasic}`, authorization: withBasic },
      { name: 'Bearer getCode', method: 'GET', path: `/pluto/code/${codeOfBearer}`, authorization: withBearer },
      { name: 'Basic createCode', method: 'POST', path: '/pluto/code/create', authorization: withBasic, body: code },
    ],
    stop: () => clearInterval(timer),
  };
}
