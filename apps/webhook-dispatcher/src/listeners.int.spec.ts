import type { RunningService } from '@paycode/service-runtime';
import { describeListeners } from '@paycode/service-runtime/testing';
import { DispatcherRig } from './testing/running-dispatcher';

describe('listeners of webhook-dispatcher', () => {
  let rig: DispatcherRig;
  let service: RunningService;
  beforeAll(async () => {
    rig = await DispatcherRig.open();
    service = await rig.start();
  });
  afterAll(() => rig.close());

  describeListeners(() => service);
});
