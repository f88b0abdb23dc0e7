import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type External, nameOf, render, renderWithBase, type Resource, resourcesOf } from './render';

interface Listener {
  name: string;
  protocol: string;
  tls: { mode: string };
  allowedRoutes: { kinds: { kind: string }[]; namespaces: { selector: { matchLabels: Record<string, string> } } };
}
interface Store {
  conditions: { namespaces: string[] }[];
}

/** Names of secrets as the stores' own references give them. */
const stores: Record<string, { rule: RegExp; lengthMax: number; property?: string }> = {
  aws: { rule: /^[\w/+=.@-]+$/, lengthMax: 512 },
  vault: { rule: /^[\w/-]+$/, lengthMax: 512, property: 'value' },
  azure: { rule: /^[0-9a-zA-Z-]+$/, lengthMax: 127 },
  gcp: { rule: /^[\w-]+$/, lengthMax: 255 },
};
const secrets = ['sandbox', 'data-services']
  .flatMap(overlay => render(`k8s/overlays/${overlay}`))
  .concat(renderWithBase('components/ops'))
  .filter(({ kind }) => kind === 'ExternalSecret');

const examples = render('k8s/examples');
const example = (kind: string) => examples.find(resource => resource.kind === kind)!;
const namespaceLabel = 'kubernetes.io/metadata.name';

describe('k8s/examples', () => {
  it.each(['sandbox', 'production'])('the Gateway is the one that %s names, and ends no TLS (T-26)', overlay => {
    const route = render(`k8s/overlays/${overlay}`).find(({ kind }) => kind === 'TLSRoute')!;
    const { parentRefs } = route.spec as { parentRefs: { name: string; namespace: string; sectionName: string }[] };
    const { metadata, spec } = example('Gateway');
    const listener = (spec as { listeners: Listener[] }).listeners[0]!;
    expect(parentRefs).toEqual([{ name: metadata.name, namespace: metadata.namespace, sectionName: listener.name }]);
    expect(listener).toMatchObject({ protocol: 'TLS', tls: { mode: 'Passthrough' } });
    expect(listener.allowedRoutes.kinds.map(({ kind }) => kind)).toEqual([route.kind]);
    expect(listener.allowedRoutes.namespaces.selector.matchLabels).toEqual({ [namespaceLabel]: route.metadata.namespace });
  });

  it.each(Object.entries(stores))(
    'the store on %s takes every entry, under a name of its own',
    (name, { rule, lengthMax, property }) => {
      const comment = commentOf(name);
      const program = /perl -pe '([^']*)'/.exec(comment)?.[1] ?? '';
      // As kustomize writes it: the program works on lines.
      const text = secrets.map(secret => stringify(secret, { lineWidth: 0 })).join('---\n');
      const changed = resourcesOf(execFileSync('perl', ['-pe', program], { input: text, encoding: 'utf8' }));
      const named = (of: Resource[]) =>
        new Set(of.flatMap(({ spec }) => (spec as External).data.map(({ remoteRef }) => remoteRef.key)));
      const keys = [...named(changed)];
      expect(keys).toHaveLength(named(secrets).size);
      expect(keys.filter(key => !rule.test(key) || key.length > lengthMax)).toEqual([]);
      const properties = changed.flatMap(({ spec }) => (spec as External).data.map(({ remoteRef }) => remoteRef.property));
      expect(new Set(properties)).toEqual(new Set([property]));
    },
  );

  it.each(Object.keys(stores))('the store on %s serves exactly the namespaces of the ExternalSecrets', name => {
    const { spec } = examples.find(({ metadata }) => metadata.name === `paycode-sandbox-${name}`)!;
    const [condition] = (spec as Store).conditions;
    expect([...condition!.namespaces].sort()).toEqual([...new Set(secrets.map(secret => secret.metadata.namespace))].sort());
  });
});

/** The store's document, with the comment above it. */
function commentOf(store: string): string {
  const documents = readFileSync(join(__dirname, '../../../k8s/examples/secret-stores.yaml'), 'utf8').split('\n---\n');
  return documents.find(text => text.includes(`paycode-sandbox-${store} }`))!;
}

const components = readdirSync(join(__dirname, '../../../k8s/components'));

describe('overlays and components', () => {
  it.each(components)('component %s renders alone on the base', component => {
    // One copies the policies of another.
    const needed = component === 'cells' ? ['components/network-policies'] : [];
    expect(renderWithBase(...needed, `components/${component}`)).not.toEqual([]);
  });

  it('both environments have the same objects, but for the payment core of the sandbox', () => {
    const [sandbox, production] = ['sandbox', 'production'].map(overlay =>
      render(`k8s/overlays/${overlay}`).map(unhashedName).sort(),
    );
    expect(sandbox!.filter(name => !name.includes('payment-simulator'))).toEqual(production);
  });
});

function unhashedName(resource: Resource): string {
  const name = nameOf(resource);
  return resource.kind === 'ConfigMap' ? name.replace(/-[a-z0-9]{10}$/, '') : name;
}
