import type { RunningService } from '@paycode/service-runtime';
import { describeListeners } from '@paycode/service-runtime/testing';
import { TestAuthSession } from './testing/test-service';

/** Includes `/internal/authorize`, which is served outside Nest, and its variants for proxies. */
describe('listeners of auth-session', () => {
  let auth: TestAuthSession;
  let service: RunningService;
  beforeAll(async () => {
    auth = await TestAuthSession.start({}, 0);
    service = await auth.addReplica();
  });
  afterAll(() => auth.stop());

  describeListeners(() => service);
});
