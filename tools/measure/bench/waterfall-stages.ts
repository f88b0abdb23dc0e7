/** Which stage of a payment a function, a package or a statement belongs to. The first rule that fits decides. */

export type Stage = (typeof stages)[number];

/** In the order in which a payment meets them; then what no single stage owns. */
export const stages = [
  'event read',
  'decode',
  'open',
  'insert',
  'queues, routes',
  'arm call',
  'seal',
  'POST',
  'verdict',
  'settle call',
  'outbox',
  'log append',
  'commit, protocol',
  'log line',
  'metrics, tracing',
  'leases, timers, passes',
  'arm and settle calls: HTTP, JSON',
  'PostgreSQL driver',
  'garbage collection',
  'compiler and collector threads',
  'event loop, sockets',
  'WAL writer, checkpoints, vacuum',
  'the benchmark itself',
] as const;

type Rules = readonly (readonly [pattern: RegExp, stage: Stage])[];

const calls: Stage = 'arm and settle calls: HTTP, JSON';

/** Code of a stage, as `<file>:<function>`: the nearest such frame to where the time went decides. */
const code: Rules = [
  [/^libs\/crypto\/src\/sealing\//, 'open'],
  [/^libs\/crypto\/src\/webhook\/|\/webhook-sealer\.ts/, 'seal'],
  [/^node_modules\/(pino|sonic-boom|nestjs-pino|safe-stable-stringify|abstract-logging)\/|\/logger\.ts:/, 'log line'],
  [/^node_modules\/prom-client\/|^libs\/(metrics|tracing)\/|\/(prometheus|traced)-/, 'metrics, tracing'],
  [/^libs\/events\/.*(event-size\.ts|:encode|:append|:publish|:dataOf)/, 'log append'],
  [/^libs\/events\/src\/(record\/|read-events)|^libs\/dto\//, 'decode'],
  [/^libs\/events\/src\/outbox\//, 'outbox'],
  [/^libs\/events\//, 'event read'],
  [/^apps\/webhook-dispatcher\/src\/(intake|deliveries\/persistence)\//, 'insert'],
  [/^apps\/webhook-dispatcher\/src\/(queueing|routes|pausing)\/|\/dispatch-webhook\.ts|\/handshake-gate\.ts/, 'queues, routes'],
  [/^apps\/webhook-dispatcher\/src\/arming\/|\/(arm-reversals|postgres-job\.store)\.ts|decision\.store\.ts:find$/, 'arm call'],
  [/^apps\/webhook-dispatcher\/src\/posting\/|\/post-window\.ts|^libs\/safe-http\//, 'POST'],
  [/\/settle-reversals\.ts|\/(decide-reversals|postgres-decision\.store|decision|ack-received\.consumer)\.ts/, 'settle call'],
  [/^apps\/webhook-dispatcher\/src\/verdicts\/|\/conclusion\.ts/, 'verdict'],
  [
    /^libs\/ownership\/|\/(takeover|retention|informational)\/|\.job\.ts|\/(reversal-timers|due-heap|periodic-task)\.ts/,
    'leases, timers, passes',
  ],
  [/\/reversal\/http\/|\/read-limit\.ts/, calls],
];

/** Decides only when no frame of the stack is code of a stage. */
const shared: Rules = [
  [/^libs\/(access|service-runtime)\//, calls],
  [/^node_modules\/(pg|pg-[\w-]+|postgres-[\w-]+|typeorm)\/|^libs\/persistence\//, 'PostgreSQL driver'],
  [/^node_modules\/undici\/|^wasm:|^node:internal\/(tls|crypto)|^node:_tls/, 'POST'],
  [/^node_modules\/(fastify|@fastify|find-my-way|@nestjs|rxjs|jsonc-parser|avvio|reusify|fastq)\/|^node:_http/, calls],
  [/^libs\/timing\//, 'leases, timers, passes'],
  [/^apps\/webhook-dispatcher\/src\/(deliveries|dispatcher)\//, 'queues, routes'],
];

/** Node's own code and native code; the names of its files are empty. */
const ofNode = /^(node:|:)/;

const statements: Rules = [
  [/^(commit|begin|rollback)\b/i, 'commit, protocol'],
  [
    /select count\(\*\)::int as count from (verdict|decision)|kind from (verdict|decision) where transaction_id between/,
    'the benchmark itself',
  ],
  [/insert into event_segment|pg_notify/, 'log append'],
  [/event_(segment|member|topic|group)/, 'event read'],
  [/insert into verdict/, 'verdict'],
  [/insert into (delivery|attempt)\b/, 'insert'],
  // The first asks whether what is to be armed has been decided.
  [/insert into job\b|kind from decision where transaction_id = any/, 'arm call'],
  [/insert into decision\b/, 'settle call'],
  [/\boutbox\b/, 'outbox'],
  [
    /\b(shard|replica|delivery|notice_retry|job|endpoint_pause|heartbeat)\b|^(un)?listen|pg_(try_)?advisory/i,
    'leases, timers, passes',
  ],
];

const stageIn = (rules: Rules, text: string): Stage | undefined => rules.find(([pattern]) => pattern.test(text))?.[1];

/** Stage of a stack's time; `frames` as `<file>:<function>`, the function that ran first. Undefined: no rule knows any frame. */
export function stageOfStack(frames: readonly string[]): Stage | undefined {
  for (const rules of [code, shared]) {
    for (const frame of frames) {
      const stage = stageIn(rules, frame);
      if (stage) return stage;
    }
  }
  return frames.every(frame => ofNode.test(frame)) ? 'event loop, sockets' : undefined;
}

export const stageOfStatement = (text: string): Stage | undefined => stageIn(statements, text);
