import { parse } from 'yaml';
import type { Body, OpenApi, Operation, Page } from './page.ts';

interface Call extends Operation {
  method: string;
  path: string;
}

const methods = new Set(['get', 'post', 'put', 'patch', 'delete']);
const head = `# API operations

Every call and every webhook. Each leads to the API reference, where you can try it. For answers, limits and repeats, see [Integrate](../how-to/integrate.md);
for errors, the [catalogue](errors.md). \`npm run generate\` makes this page from the OpenAPI documents of [calls](http/public.openapi.yaml) and
[webhooks](http/webhooks.openapi.yaml).
`;

/** Every operation with its words, so that the site's search leads to it: the viewer that shows the OpenAPI documents is not searched. */
export function operationsPages(calls: string, webhooks: string): Page[] {
  const parts = [partsOf(calls, 'public'), partsOf(webhooks, 'webhooks')].flat();
  return [{ path: 'docs/reference/operations.md', text: [head, ...parts].join('\n') }];
}

function partsOf(text: string, file: string): string[] {
  const document = parse(text) as OpenApi;
  const calls = callsOf(document);
  return document.tags.map(({ name, description }) => {
    const own = calls.filter(({ tags }) => tags.includes(name)).map(call => operationPart(call, { document, file }));
    return [`## ${name}`, description, ...own].join('\n\n') + '\n';
  });
}

function callsOf({ paths = {}, webhooks = {} }: Partial<OpenApi>): Call[] {
  return Object.entries({ ...paths, ...webhooks }).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.has(method))
      .map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

function operationPart(call: Call, { document, file }: { document: OpenApi; file: string }): string {
  const line = `\`${call.method}${call.path.startsWith('/') ? ` ${call.path}` : ''}\``;
  const place = `http/${file}.openapi.yaml#/${encodeURIComponent(call.tags[0]!)}/${call.operationId}`;
  const read = (body: Body | undefined) => namesOf(body, document);
  const parameters = (call.parameters ?? []).map(each => resolved(each, document).name);
  const words = [
    namedList('Parameters', parameters),
    namedList('Request', read(call.requestBody)),
    namedList('Answer', read(call.responses['200'])),
  ];
  const texts = [`### ${call.summary}`, `${line}: [${call.operationId}](${place})`, call.description?.trim() ?? '', ...words];
  return texts.filter(text => text !== '').join('\n\n');
}

function namedList(title: string, names: readonly string[]): string {
  return names.length === 0 ? '' : `${title}: ${names.map(name => `\`${name}\``).join(', ')}`;
}

/** Names of the fields of a JSON body; of an array those of its elements. */
function namesOf(body: Body | undefined, document: OpenApi): string[] {
  if (body === undefined) return [];
  const given = resolved(body, document).content?.['application/json']?.schema;
  if (given === undefined) return [];
  const schema = resolved(given, document);
  const element = schema.items === undefined ? schema : resolved(schema.items, document);
  return Object.keys(element.properties ?? {});
}

function resolved<T extends { $ref?: string }>(value: T, document: object): T {
  if (value.$ref === undefined) return value;
  const steps = value.$ref.replace('#/', '').split('/');
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document) as T;
}
