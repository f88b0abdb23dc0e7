import { render, type Resource } from './render';

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
