import type { RunningService } from '@paycode/service-runtime';
import { describeListeners } from '@paycode/service-runtime/testing';
import { RecipientMessagesHarness } from './testing/running-recipient-messages';

describe('listeners of recipient-messages', () => {
  let harness: RecipientMessagesHarness;
  let service: RunningService;
  beforeAll(async () => {
    harness = await RecipientMessagesHarness.open();
    service = await harness.start();
  });
  afterAll(() => harness.close());

  describeListeners(() => service);
});
