import { parse } from 'yaml';
import type { Page } from './page.ts';

interface Schema {
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: string;
  anyOf?: Schema[];
  pattern?: string;
  format?: string;
  required?: string[];
  properties?: Record<string, Schema>;
}

interface Operation {
  action: 'send' | 'receive';
  summary: string;
  channel: { $ref: string };
  bindings?: { kafka: { groupId: { enum: string[] } } };
}

interface EventsDocument {
  info: { description: string };
  channels: Record<
    string,
    { address: string; bindings: { kafka: { partitions: number; topicConfiguration: { 'retention.ms': number } } } }
  >;
  operations: Record<string, Operation>;
  components: {
    messageTraits: { cloudEvent: { headers: Schema } };
    messages: Record<string, { examples: { payload: Record<string, unknown> }[] }>;
    schemas: Record<string, Schema>;
  };
}

const dayMs = 86_400_000;
/** An encrypted text says nothing to a reader. */
const shownCharsMax = 60;

/** The AsyncAPI document as people read it. */
export function eventsPages(asyncApi: string): Page[] {
  const document = parse(asyncApi) as EventsDocument;
  const parts = [head(document), ...Object.keys(document.channels).map(name => eventPart(name, document))];
  return [{ path: 'docs/reference/events.md', text: parts.join('\n') }];
}

function head({ info, components }: EventsDocument): string {
  return `# Events

Generated from the [AsyncAPI document](events.asyncapi.yaml) by \`npm run generate\`. These events flow between the services and the payment core; merchants get
[notifications](../how-to/integrate.md) instead.

${info.description}

## Headers of every record

${fieldsOf(components.messageTraits.cloudEvent.headers)}`;
}

function eventPart(name: string, { channels, operations, components }: EventsDocument): string {
  const { address, bindings } = channels[name]!;
  const schema = components.schemas[name]!;
  const own = Object.values(operations).filter(({ channel }) => channel.$ref === `#/channels/${name}`);
  const days = bindings.kafka.topicConfiguration['retention.ms'] / dayMs;
  return `## ${name}

${schema.description}

Topic \`${address}\`, ${bindings.kafka.partitions} partitions, kept ${days} days.

${own.map(partyOf).join('')}
${fieldsOf(schema)}
\`\`\`json
${JSON.stringify(components.messages[name]!.examples[0]!.payload, shortened, 2)}
\`\`\`
`;
}

function partyOf({ summary, bindings }: Operation): string {
  const group = bindings?.kafka.groupId.enum.map(id => `\`${id}\``).join(', ');
  return `- ${summary.replace(/\.$/, '')}${group === undefined ? '' : `, group ${group}`}\n`;
}

function fieldsOf({ properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(
    ([name, field]) =>
      `| \`${name}\`${required.includes(name) ? '' : ' (optional)'} | ${cell(typeOf(field))} | ${cell(field.description ?? '')} |\n`,
  );
  return `| Field | Type | Meaning |\n|---|---|---|\n${rows.join('')}`;
}

function typeOf(field: Schema): string {
  if (field.anyOf) return field.anyOf.map(typeOf).join(', or ');
  if (field.const !== undefined) return `\`${field.const}\``;
  if (field.enum) return field.enum.map(value => `\`${String(value)}\``).join(', ');
  const type = [field.type ?? 'any'].flat().join(' or ');
  if (field.format !== undefined) return `${type} (${field.format})`;
  return field.pattern === undefined ? type : `${type}, \`${field.pattern}\``;
}

/** Text in a table: a bar would begin the next column. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function shortened(_name: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > shownCharsMax ? `${value.slice(0, shownCharsMax)}…` : value;
}
