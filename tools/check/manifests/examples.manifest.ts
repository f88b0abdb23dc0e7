import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { nameOf, render, renderWithBase, type Resource } from './render';

interface Listener {
  name: string;
  protocol: string;
  tls: { mode: string };
  allowedRoutes: { kinds: { kind: string }[]; namespaces: { selector: { matchLabels: Record<string, string> } } };
}
interface Store {
  conditions: { namespaces: string[] }[];
}

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

  it('the secret store is the one that the sandbox names, and serves exactly its namespaces', () => {
    const secrets = ['sandbox', 'data-services']
      .flatMap(overlay => render(`k8s/overlays/${overlay}`))
      .filter(({ kind }) => kind === 'ExternalSecret');
    const { metadata, spec } = example('ClusterSecretStore');
    expect(new Set(secrets.map(storeOf))).toEqual(new Set([metadata.name]));
    const [condition] = (spec as Store).conditions;
    expect([...condition!.namespaces].sort()).toEqual([...new Set(secrets.map(secret => secret.metadata.namespace))].sort());
  });
});

function storeOf({ spec }: Resource): string {
  return (spec as { secretStoreRef: { name: string } }).secretStoreRef.name;
}

const overlays = ['sandbox', 'production', 'data-services', 'data-services-production', 'managed-services', 'evaluation'];
const components = readdirSync(join(__dirname, '../../../k8s/components'));

describe('overlays and components', () => {
  it.each(components)('component %s renders alone on the base', component => {
    expect(renderWithBase(`components/${component}`)).not.toEqual([]);
  });

  it('no two resources of an overlay have one name', () => {
    for (const overlay of overlays) {
      const names = render(`k8s/overlays/${overlay}`).map(resource => `${resource.metadata.namespace} ${nameOf(resource)}`);
      expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    }
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
