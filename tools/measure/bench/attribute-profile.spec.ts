import { timesByStage, unknown, unknownStacks } from './attribute-profile.ts';
import type { CallFrame } from './cpu-profile.ts';
import { perPayment, timesOfProcess, timesOfServer, totalOf } from './waterfall.ts';
import { stageOfStatement } from './waterfall-stages.ts';

/** A tree of `[id, file, function, children]`; the files are those that a source map would name. */
function profileOf(nodes: [number, string, string, number[]?][], samples: [id: number, us: number][]) {
  return {
    nodes: nodes.map(([id, url, functionName, children]) => ({
      id,
      callFrame: { functionName, url, lineNumber: 0 },
      children,
    })),
    samples: samples.map(([id]) => id),
    timeDeltas: samples.map(([, us]) => us),
  };
}

const sourceOf = ({ url }: CallFrame) => url;
const seal = 'apps/webhook-dispatcher/src/posting/webhook-sealer.ts';
const post = 'apps/webhook-dispatcher/src/posting/post-webhook.ts';

describe('samples of a CPU profile', () => {
  it.each([
    ['the nearest function of a stage, not of its caller', seal, 'seal'],
    ['the caller, when a library serves every stage', 'libs/persistence/src/flush-queue.ts', 'POST'],
    ['the caller, when Node runs', 'node:internal/timers', 'POST'],
    ['the package of a stage', 'node_modules/pino/lib/proto.js', 'log line'],
  ])('belong to %s', (_rule, leaf, stage) => {
    const profile = profileOf([[1, '', '(root)', [2]], [2, post, 'start', [3]], [3, leaf, 'run']], [[3, 70], [2, 30]]); // prettier-ignore
    const times = timesByStage(profile, sourceOf);
    expect(times.get(stage as 'seal')).toBe(stage === 'POST' ? 100 : 70);
  });

  it('belong to the driver, when it answers without a caller', () => {
    const profile = profileOf([[1, '', '(root)', [2]], [2, 'node:net', 'read', [3]], [3, 'node_modules/pg/lib/client.js', 'parse', [4]], [4, '', 'utf8Slice']], [[4, 5]]); // prettier-ignore
    expect(timesByStage(profile, sourceOf)).toEqual(new Map([['PostgreSQL driver', 5]]));
  });

  it('without a function of ours are the collector, the event loop or rest', () => {
    const nodes: Parameters<typeof profileOf>[0] = [[1, '', '(root)', [2, 3, 4, 5]], [2, '', '(garbage collector)'], [3, '', '(program)'], [4, '', '(idle)'], [5, 'node:internal/timers', 'run']]; // prettier-ignore
    const times = timesByStage(profileOf(nodes, [[2, 1], [3, 2], [4, 1_000], [5, 4]]), sourceOf); // prettier-ignore
    expect(times).toEqual(new Map([['garbage collection', 1], ['event loop, sockets', 6]])); // prettier-ignore
  });

  it('of a function that no rule knows are shown as such, most expensive first', () => {
    const nodes: Parameters<typeof profileOf>[0] = [[1, '', '(root)', [2, 3]], [2, 'libs/new/src/a.ts', 'cheap'], [3, 'libs/new/src/b.ts', 'dear']]; // prettier-ignore
    const profile = profileOf(nodes, [[2, 1], [3, 2]]); // prettier-ignore
    expect(timesByStage(profile, sourceOf)).toEqual(new Map([[unknown, 3]]));
    expect(unknownStacks(profile, sourceOf, 1)).toEqual(['libs/new/src/b.ts:dear']);
  });
});

describe('statements', () => {
  it.each([
    ['with next as (…) insert into event_segment (topic_id) select 1', 'log append'],
    ['select headers, payloads from event_segment where topic_id = $1', 'event read'],
    ['with written as (insert into verdict (…)), told as (insert into outbox (…)) select 1', 'verdict'],
    ['select id, kind from decision where transaction_id = any($1::bigint[])', 'arm call'],
    ['COMMIT', 'commit, protocol'],
    ['vacuum delivery_of_nobody', undefined],
  ])('%s: %s', (text, stage) => expect(stageOfStatement(text)).toBe(stage));
});

describe('the waterfall of a load', () => {
  it('shares the time of a process out by its samples, and adds its other threads', () => {
    const times = timesOfProcess(new Map([['seal', 1], ['POST', 3]]), { main: 800, compiler: 50, files: 20, inspector: 9 }); // prettier-ignore
    expect(times).toEqual(new Map([['seal', 200], ['POST', 600], ['compiler and collector threads', 50], ['log line', 20]])); // prettier-ignore
  });

  it('charges to commits what sessions use beside their statements, and to nobody what no rule knows', () => {
    const statements = [
      { database: 'postgres_dispatcher', text: 'insert into delivery (id) select 1', cpuUs: 100 },
      { database: 'postgres_dispatcher', text: 'vacuum', cpuUs: 10 },
      { database: 'postgres', text: 'select pid', cpuUs: 5 },
    ];
    const times = timesOfServer(statements, { sessions: 150, others: 7, rest: 2 });
    expect(times).toEqual(new Map([['insert', 100], [unknown, 12], ['the benchmark itself', 5], ['commit, protocol', 35], ['WAL writer, checkpoints, vacuum', 7]])); // prettier-ignore
    expect(totalOf(perPayment([times, times], 318))).toBeCloseTo(1);
  });
});
