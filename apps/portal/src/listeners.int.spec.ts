import { describeListeners } from '@paycode/service-runtime/testing';
import { RunningPortal } from './testing/running-portal';

describe('listeners of the portal', () => {
  let portal: RunningPortal;
  beforeAll(async () => {
    portal = await RunningPortal.start();
  });
  afterAll(() => portal.stop());

  describeListeners(() => portal.service);
});
