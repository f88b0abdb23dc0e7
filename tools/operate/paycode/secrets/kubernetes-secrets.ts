import { stringify } from 'yaml';
import type { WantedSecret } from './wanted-secrets.ts';

/** Secret manifests of each namespace, for clusters without a store; a Secret that lacks a value is left out. */
export function kubernetesSecrets(wanted: readonly WantedSecret[], values: ReadonlyMap<string, string>): Map<string, string> {
  const complete = wanted.filter(({ entries }) => entries.every(({ entry }) => values.has(entry)));
  const namespaces = [...new Set(wanted.map(({ namespace }) => namespace))];
  return new Map(
    namespaces.map(namespace => {
      const own = complete.filter(secret => secret.namespace === namespace);
      return [namespace, own.map(secret => stringify(manifestOf(secret, values), { lineWidth: 0 })).join('---\n')];
    }),
  );
}

function manifestOf(
  { namespace, name, type, labels, fixed, entries }: WantedSecret,
  values: ReadonlyMap<string, string>,
): object {
  const data = Object.fromEntries(entries.map(({ key, entry }) => [key, values.get(entry)!]));
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, labels: { 'app.kubernetes.io/part-of': 'paycode', ...labels } },
    type,
    stringData: { ...fixed, ...data },
  };
}
