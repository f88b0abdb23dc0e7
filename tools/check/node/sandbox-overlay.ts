import { nodeAddress, podRange } from './machine-network';
import type { NodeMachine } from './node-machine';

const registry = 'docker.io/paycode';

/** An own overlay as the guide writes it, for one small node with PostgreSQL and Kafka beside it. */
export function overlayOfNode(sandbox: string, node: NodeMachine): object {
  const services = [...sandbox.matchAll(/registry\.invalid\/paycode\/([a-z-]+)/g)].map(([, name]) => name!);
  return {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: ['../sandbox'],
    components: ['managed-postgres', 'managed-kafka', 'plain-secrets'].map(name => `../../components/${name}`),
    images: services.map(name => ({
      name: `registry.invalid/paycode/${name}`,
      newName: `${registry}/${name}`,
      digest: node.pin(`${registry}/${name}`),
    })),
    // No Gateway stands before the platform here; clients come from the node, without the header of the PROXY protocol.
    configMapGenerator: [
      { name: 'api-gateway', namespace: 'paycode', behavior: 'merge', literals: [`PROXY_PROTOCOL_FROM=${podRange}`] },
    ],
    // The number of dispatchers is the autoscaler's, so the overlay names none.
    replicas: services.filter(name => name !== 'webhook-dispatcher').map(name => ({ name, count: 1 })),
    patches: [
      replacing({ kind: 'NetworkPolicy', name: 'managed-(postgres|kafka)' }, '/spec/egress/0/to', [
        { ipBlock: { cidr: `${nodeAddress}/32` } },
      ]),
      // The services and the Jobs that migrate find a place on two processors.
      ...['Deployment', 'Job'].map(kind => replacing({ kind }, '/spec/template/spec/containers/0/resources/requests/cpu', '50m')),
    ],
  };
}

function replacing(target: object, path: string, value: unknown): object {
  return { target, patch: JSON.stringify([{ op: 'replace', path, value }]) };
}
