import { describeEntities } from '@paycode/persistence/testing';
import { describeListeners } from '@paycode/service-runtime/testing';
import { migrations } from '../migrations';
import { entities } from './entities';
import { TestNotificationConfig } from './testing/running-service';

describe('entities of notification-config', () => describeEntities(entities, migrations));

describe('listeners of notification-config', () => {
  let config: TestNotificationConfig;
  beforeAll(async () => (config = await TestNotificationConfig.start()));
  afterAll(() => config.stop());

  describeListeners(() => config.service);
});
