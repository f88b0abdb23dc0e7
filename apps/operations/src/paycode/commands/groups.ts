import type { Command } from 'commander';
import type { Admin } from 'kafkajs';
import { isOfCell } from '../../../../../libs/dto/src/events/cell-names.ts';
import type { TopicConsumer } from '../../../../../libs/dto/src/events/define-event.ts';
import { topicCatalog } from '../../../../../libs/dto/src/events/events.ts';
import type { CommandContext } from '../command-context.ts';
import { kafkaOf } from '../kafka-connection.ts';
import { OperatorError } from '../operator-connection.ts';

/** Services that a restored database makes read again. recipient-messages would send its e-mails and short messages a second time. */
const restoredServices: readonly string[] = ['webhook-dispatcher', 'reversal-scheduler', 'portal'];
/** Its team looks after its group. */
const paymentCore = 'payment-simulator';

interface Group extends TopicConsumer {
  topic: string;
}

const groups: readonly Group[] = topicCatalog
  .flatMap(({ name, consumers }) => consumers.map(consumer => ({ ...consumer, topic: name })))
  .filter(({ service }) => service !== paymentCore);

/** Groups that `groups rewind` sets back, which Kafka's access rights follow. */
export const rewoundGroups: readonly Group[] = groups.filter(({ service }) => restoredServices.includes(service));

interface Position {
  partition: number;
  /** Next offset that the group reads. */
  next: bigint;
  end: bigint;
}

/** Consumer groups on Kafka: what each has still to read, and reading again after a restore (docs/how-to/back-up-and-restore.md). */
export function addGroupCommands(program: Command, context: CommandContext): void {
  const command = program
    .command('groups')
    .description('consumer groups on Kafka, by KAFKA_BROKERS and the other settings of services');
  command
    .command('show')
    .argument('[group...]', 'default: all, with those of cells (webhook-dispatcher@b)')
    .description(
      'state of each group, and the number of events that it has still to read; a dispatcher never reads partitions of other cells (cells show)',
    )
    .action(async (names: string[]) => {
      const named = names.map(name => known(groups, name));
      context.show(
        await onKafka(async admin => inOrder(names.length === 0 ? await all(admin) : named, group => shown(admin, group))),
      );
    });
  command
    .command('rewind')
    .argument('<group...>', listed(rewoundGroups))
    .requiredOption('--to <instant>', 'instant in UTC from which on the groups read again, such as 2026-11-21T19:00:00Z')
    .option('--execute', 'do it; without it the command shows what it would do')
    .description('let groups without members read again what was published since an instant; a group never skips an event by it')
    .action(async (names: string[], { to, execute }: { to: string; execute?: boolean }) => {
      const chosen = names.map(name => known(rewoundGroups, name));
      const at = instantOf(to);
      context.show(await onKafka(admin => rewound(admin, chosen, { at, isExecuted: execute ?? false })));
    });
}

function known(among: readonly Group[], name: string): Group {
  const found = among.find(({ group, isPerCell }) => group === name || (isPerCell && isOfCell(name, group)));
  if (found) return { ...found, group: name };
  throw new OperatorError(`<group> must be one of ${listed(among)}, not ${name}`);
}

function listed(among: readonly Group[]): string {
  return among.map(({ group, isPerCell }) => (isPerCell ? `${group}[@cell]` : group)).join(', ');
}

/** Each group is followed by those of cells that Kafka has. */
async function all(admin: Admin): Promise<Group[]> {
  const names = (await admin.listGroups()).groups.map(({ groupId }) => groupId).sort();
  const ofCells = (each: Group) => (each.isPerCell ? names.filter(name => isOfCell(name, each.group)) : []);
  return groups.flatMap(each => [each, ...ofCells(each).map(group => ({ ...each, group }))]);
}

function instantOf(text: string): number {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!(at <= Date.now()))
    throw new OperatorError(`--to must be a past instant in UTC such as 2026-11-21T19:00:00Z, not ${text}`);
  return at;
}

async function onKafka<T>(use: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = kafkaOf(process.env, 'paycode-groups').admin({ retry: { retries: 5 } });
  try {
    await admin.connect();
    return await use(admin);
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    throw new OperatorError(`Kafka at ${process.env['KAFKA_BROKERS']} refused: ${(cause as Error).message}`, { cause });
  } finally {
    await admin.disconnect();
  }
}

async function shown(admin: Admin, group: Group) {
  return {
    group: group.group,
    topic: group.topic,
    state: await stateOf(admin, group),
    unread: unread(await positions(admin, group)),
  };
}

/** All groups are looked at before the first is changed, so that a refusal leaves all as they are. */
async function rewound(admin: Admin, chosen: readonly Group[], { at, isExecuted }: { at: number; isExecuted: boolean }) {
  const plans = await inOrder(chosen, group => planOf(admin, group, at));
  if (isExecuted) await inOrder(plans, ({ group, to }) => commit(admin, group, to));
  return inOrder(plans, async ({ group, before, to }) => {
    const after = isExecuted ? await positions(admin, group) : to;
    return { group: group.group, topic: group.topic, unreadBefore: unread(before), unreadAfter: unread(after), done: isExecuted };
  });
}

async function planOf(admin: Admin, group: Group, at: number) {
  const state = await stateOf(admin, group);
  // Members would go on from the position that they hold, and commit it over the new one.
  if (state !== 'Empty' && state !== 'Dead')
    throw new OperatorError(`${group.group} has members (its state is ${state}): stop ${group.service} first`);
  const before = await positions(admin, group);
  const since = new Map(
    (await admin.fetchTopicOffsetsByTimestamp(group.topic, at)).map(({ partition, offset }) => [partition, BigInt(offset)]),
  );
  const to = before.map(({ partition, next, end }) => ({ partition, next: smaller(next, since.get(partition)!), end }));
  return { group, before, to };
}

async function commit(admin: Admin, { group, topic }: Group, to: readonly Position[]): Promise<void> {
  const partitions = to.map(({ partition, next }) => ({ partition, offset: String(next) }));
  await admin.setOffsets({ groupId: group, topic, partitions });
  const [stored] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
  const wrong = partitions.filter(
    ({ partition, offset }) => stored!.partitions.find(each => each.partition === partition)?.offset !== offset,
  );
  if (wrong.length > 0)
    throw new OperatorError(`${group}: Kafka did not store the position of ${wrong.length} partitions; run the command again`);
}

async function stateOf(admin: Admin, { group }: Group): Promise<string> {
  return (await admin.describeGroups([group])).groups[0]!.state;
}

/** A group without a position reads from the first event on. */
async function positions(admin: Admin, { group, topic }: Group): Promise<Position[]> {
  const ends = await admin.fetchTopicOffsets(topic);
  const [stored] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
  const next = new Map(stored!.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
  return ends
    .map(({ partition, low, high }) => ({ partition, next: larger(next.get(partition) ?? -1n, BigInt(low)), end: BigInt(high) }))
    .sort((one, other) => one.partition - other.partition);
}

function unread(all: readonly Position[]): number {
  return Number(all.reduce((sum, { next, end }) => sum + end - next, 0n));
}

/** One after the other: the coordinator of a group may be another broker, and people read the answers in this order. */
async function inOrder<T, R>(all: readonly T[], each: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const one of all) results.push(await each(one));
  return results;
}

const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other);
