import { describeListeners } from '@paycode/service-runtime/testing';
import { TestNotificationConfig } from './testing/running-service';

describe('listeners of notification-config', () => {
  let config: TestNotificationConfig;
  beforeAll(async () => (config = await TestNotificationConfig.start()));
  afterAll(() => config.stop());

  describeListeners(() => config.service);
});
