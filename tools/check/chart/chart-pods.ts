/** A value of the chart. `schema`: of JSON Schema, without the description. */
export interface ChartValue {
  path: string;
  default: unknown;
  schema: Record<string, unknown>;
  text: string;
}

const object = { type: 'object' };
const objects = { type: 'array', items: object };
const texts = { type: 'object', additionalProperties: { type: 'string' } };

/** Fields of `pods.<service>`: the schema of each, and the words of the README. Fields of Kubernetes have its names. */
const fields: Record<string, [schema: object, text: string]> = {
  nodeSelector: [texts, 'labels of the nodes'],
  tolerations: [objects, 'taints that the pods bear'],
  affinity: [object, 'nodes and neighbours that the scheduler prefers or demands'],
  topologySpreadConstraints: [objects, 'in place of the spread over hosts and zones'],
  priorityClassName: [{ type: 'string', minLength: 1 }, 'the class of priority'],
  annotations: [texts, 'of the pods'],
  labels: [texts, 'of the pods, beside those of the chart'],
  resources: [
    { type: 'object', additionalProperties: false, properties: { requests: object, limits: object } },
    'over those of the chart; with the memory change `--max-old-space-size` in `NODE_OPTIONS`, three quarters of it',
  ],
  env: [
    { type: 'array', items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
    'variables with a source; plain settings stand in `settings`',
  ],
  volumes: [objects, 'more volumes'],
  volumeMounts: [objects, 'where the container has them'],
  containers: [objects, 'containers beside the service’s own'],
  strategy: [object, 'of the Deployment, in place of one pod more at a time'],
  terminationGracePeriodSeconds: [
    { type: 'integer', minimum: 20 },
    '75 without it; `SHUTDOWN_GRACE_MS` becomes 15 s less. A dispatcher needs 75: with less it leaves POSTs to another replica',
  ],
  serviceAccountAnnotations: [texts, 'such as the role of a cloud'],
};

/** The schema to which the values of each service refer. */
export const podsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(Object.entries(fields).map(([name, [schema]]) => [name, schema])),
};

/** Values that fit the pods to a cluster: for all services, and per service over it. */
export function podsValues(services: readonly string[]): ChartValue[] {
  const value = (name: string, text: string): ChartValue => ({
    path: `pods.${name}`,
    default: {},
    schema: { $ref: '#/definitions/pods' },
    text,
  });
  return [
    value('all', 'Fields of the pods of every service ([list](#pods)); Jobs take placement, priority, labels and annotations.'),
    ...[...services, 'ops'].map(service =>
      value(service, `The same for ${service}: a map adds to that of all, a list replaces it.`),
    ),
  ];
}

export function podsText(): string {
  return Object.entries(fields)
    .map(([name, [, text]]) => `| \`${name}\` | ${text} |`)
    .join('\n');
}
