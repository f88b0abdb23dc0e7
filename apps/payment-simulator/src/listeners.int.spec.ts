import { describeListeners } from '@paycode/service-runtime/testing';
import { SimulatorUnderTest } from './testing/simulator-under-test';

describe('listeners of payment-simulator', () => {
  let simulator: SimulatorUnderTest;
  beforeAll(async () => (simulator = await SimulatorUnderTest.start()));
  afterAll(() => simulator.stop());

  describeListeners(() => simulator.running);
});
