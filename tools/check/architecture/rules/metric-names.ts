import type { Rule } from 'eslint';

/** The functions of libs/service-runtime/src/metrics, by the part of the name that Prometheus expects of each. */
const forms: Record<string, RegExp> = {
  counter: /_total$/,
  gauge: /(?<!_total|_count|_sum|_bucket)$/,
  scrapedGauge: /(?<!_total|_count|_sum|_bucket)$/,
  histogram: /_(seconds|bytes|ratio)$/,
};
const collectors = new Set(['Counter', 'Gauge', 'Histogram', 'Summary']);
const noBaseUnit = /_(ms|millis|milliseconds|micros|microseconds|minutes|hours|days|kb|kib|mb|mib|percent)(_|$)/;
const typeWord = /_(counter|gauge|histogram|summary|metric)(_|$)/;

type Argument = Rule.Node & { value?: unknown; properties?: { key?: { name?: string }; value: Argument }[] };

/** The name in `counter('name', …)` or `scrapedGauge({ name: 'name', … }, …)`; undefined when it is no literal. */
function literalName(argument: Argument | undefined): string | undefined {
  const named = argument?.properties?.find(({ key }) => key?.name === 'name')?.value ?? argument;
  return typeof named?.value === 'string' ? named.value : undefined;
}

/** `apps/webhook-dispatcher/src/x.ts` is of webhook_dispatcher. */
function prefixOf(filename: string): string {
  const [, project = ''] = /(?:^|\/)(?:apps|libs)\/([^/]+)\//.exec(filename) ?? [];
  return `paycode_${project.replaceAll('-', '_')}_`;
}

function problemOf(
  name: string,
  maker: string,
  prefix: string,
): { messageId: string; data?: Record<string, string> } | undefined {
  if (!name.startsWith(prefix)) return { messageId: 'prefix', data: { name, prefix } };
  if (!/^[a-z]+(_[a-z0-9]+)*$/.test(name)) return { messageId: 'letters', data: { name } };
  if (noBaseUnit.test(name)) return { messageId: 'unit', data: { name } };
  if (typeWord.test(name)) return { messageId: 'type', data: { name } };
  return forms[maker]!.test(name) ? undefined : { messageId: 'form', data: { name, maker } };
}

/** `metricName`: a metric is named `paycode_<project>_…`, in base units, by the conventions of Prometheus, as a literal that a search finds. */
export const metricName: Rule.RuleModule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      maker: 'metrics are made by counter, gauge, histogram and scrapedGauge of @paycode/service-runtime/metrics',
      literal: 'the name of a metric stands as a literal where the metric is made, so that a search finds it',
      prefix: '{{name}}: metrics of this project begin with {{prefix}}',
      letters: '{{name}}: metric names are snake_case',
      unit: '{{name}}: metrics are in base units: seconds, bytes, ratio',
      type: '{{name}}: the type of a metric is no part of its name',
      form: '{{name}}: a counter ends in _total, a histogram in its unit, a gauge in neither _total, _count, _sum nor _bucket',
    },
  },
  create: context => ({
    NewExpression(node) {
      const { callee } = node as unknown as { callee: { name?: string } };
      if (collectors.has(callee.name ?? '')) context.report({ node, messageId: 'maker' });
    },
    CallExpression(node) {
      const call = node as unknown as { callee: { name?: string }; arguments: Argument[] };
      const maker = call.callee.name ?? '';
      if (!Object.hasOwn(forms, maker)) return;
      const name = literalName(call.arguments[0]);
      const problem = name === undefined ? { messageId: 'literal' } : problemOf(name, maker, prefixOf(context.filename));
      if (problem) context.report({ node, ...problem });
    },
  }),
};
