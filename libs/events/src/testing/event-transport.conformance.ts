import { describeFailures } from './conformance/failures';
import { describeFlow } from './conformance/flow';
import { describeGroups } from './conformance/groups';
import { describeOrder } from './conformance/order';
import type { TransportHarness } from './transport-harness';

/** The rules of the event port. Every implementation runs them against its real store. */
export function describeEventTransport(name: string, open: () => Promise<TransportHarness>): void {
  describe(`${name} event transport`, () => {
    let harness: TransportHarness | undefined;
    const current = () => {
      if (!harness) throw new Error('the harness is not open');
      return harness;
    };
    beforeAll(async () => {
      harness = await open();
    });
    afterEach(() => harness?.closeTransports());
    afterAll(() => harness?.close());

    describeOrder(current);
    describeGroups(current);
    describeFailures(current);
    describeFlow(current);
  });
}
