import { InMemoryReversalDatabase } from './in-memory-reversal-database';
import { reversalStoresConformance } from './reversal-stores.conformance';

describe('reversal stores in memory', () => {
  reversalStoresConformance(async () => {
    let nowUs = 1_700_000_000_000_000;
    const database = new InMemoryReversalDatabase(() => nowUs++);
    return { jobs: database.jobs, decisions: database.decisions, outbox: () => Promise.resolve(database.outbox) };
  });
});
