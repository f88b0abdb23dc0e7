import { describeListeners } from '@paycode/service-runtime/testing';
import { GatewayUnderTest } from './testing/gateway-under-test';

/** The public side of the gateway is its own TLS listener, which routes nothing internal (forward-request, route-table). */
describe('internal listener of api-gateway', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => (gateway = await GatewayUnderTest.start()));
  afterAll(() => gateway.stop());

  describeListeners(() => gateway.service);
});
