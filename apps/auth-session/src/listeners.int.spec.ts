import type { RunningService } from '@paycode/service-runtime';
import { describeListeners } from '@paycode/service-runtime/testing';
import { TestAuthSession } from './testing/test-service';

/** Includes `/internal/authorize`, which is served outside Nest, and its variants for proxies. */
describe('listeners of auth-session', () => {
  const auth = TestAuthSession.ofSpec({}, 0);
  let service: RunningService;
  beforeAll(async () => (service = await auth.addReplica()));

  describeListeners(() => service);
});
