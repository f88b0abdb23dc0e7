import { deleteTopics } from './prepare-kafka';

const topics = ['paycode.transaction.terminal.v1', 'paycode.ack.received.v1'];

/** Brokers that show deleted topics for some more answers. */
class SlowBrokers {
  readonly deleted: string[] = [];
  answers = 0;

  constructor(private readonly showsFor: number) {}

  async deleteTopics({ topics: names }: { topics: string[] }): Promise<void> {
    this.deleted.push(...names);
  }

  async listTopics(): Promise<string[]> {
    return ++this.answers <= this.showsFor ? [...this.deleted, 'other'] : ['other'];
  }
}

describe('topics of an earlier platform', () => {
  it('are gone when their deletion has ended, however long brokers show them', async () => {
    const brokers = new SlowBrokers(2);
    await deleteTopics(brokers, topics);
    expect(brokers).toMatchObject({ deleted: topics, answers: 3 });
  });

  it('that are none cost no call', async () => {
    const brokers = new SlowBrokers(0);
    await deleteTopics(brokers, []);
    expect(brokers.answers).toBe(0);
  });
});
