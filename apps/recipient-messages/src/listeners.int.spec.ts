import type { RunningService } from '@paycode/service-runtime';
import { describeListeners } from '@paycode/service-runtime/testing';
import { RecipientMessagesRig } from './testing/running-recipient-messages';

describe('listeners of recipient-messages', () => {
  let rig: RecipientMessagesRig;
  let service: RunningService;
  beforeAll(async () => {
    rig = await RecipientMessagesRig.open();
    service = await rig.start();
  });
  afterAll(() => rig.close());

  describeListeners(() => service);
});
