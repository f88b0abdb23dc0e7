import { describeEventTransport } from '../testing/event-transport.conformance';
import { PostgresHarness } from '../testing/postgres-harness';

describeEventTransport('PostgreSQL', () => PostgresHarness.open());
