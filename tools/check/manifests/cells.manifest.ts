import { nameOf, podOf, type Policy, render, type Resource, type Selector, settingsOf } from './render';

const [one, two] = ['production', 'two-cells'].map(overlay => render(`k8s/overlays/${overlay}`)) as [Resource[], Resource[]];
const labelsOf = (deployment: Resource) => podOf(deployment).metadata.labels;
const deployments = (resources: Resource[]) => resources.filter(({ kind }) => kind === 'Deployment');

// proves: P-1.12
describe('overlay two-cells', () => {
  it('has in cell b what the first cell has, under names, labels, databases and a consumer group of its own', () => {
    const added = two.filter(({ metadata: { name } }) => /-(b|cell)$/.test(name) && name !== 'cell-b');
    expect(added).toHaveLength(17);
    for (const resource of added) {
      const first = two.find(each => nameOf(each) === nameOf(resource).replace(/-(b|cell)$/, ''));
      expect({ [nameOf(resource)]: specOfFirst(resource) }).toEqual({ [nameOf(resource)]: specOfFirst(first!) });
    }
  });

  it('makes the first cell `main`, and changes nothing else of production', () => {
    const kept = new Map(two.map(resource => [nameOf(resource), JSON.stringify(resource)]));
    const changed = one.filter(each => each.kind !== 'ConfigMap' && kept.get(nameOf(each)) !== JSON.stringify(each)).map(nameOf);
    const ofFirst = ['Deployment/reversal-scheduler', 'Deployment/webhook-dispatcher', 'ScaledObject/webhook-dispatcher'];
    expect(changed.sort()).toEqual([...ofFirst, 'PodMonitor/paycode-consumers'].sort());
    for (const service of ['webhook-dispatcher', 'reversal-scheduler'])
      expect(settingsOf(two, service)).toEqual({ ...settingsOf(one, service), CELL_NAME: 'main' });
  });

  it('has no Deployment, Service or budget that finds pods of another one', () => {
    for (const deployment of deployments(two)) {
      const finding = two.filter(({ spec }) => {
        const { selector } = (spec ?? {}) as { selector?: Selector & Record<string, string> };
        return selector && !selector.matchExpressions && isMeant({ matchLabels: selector, ...selector }, labelsOf(deployment));
      });
      const { name } = deployment.metadata;
      expect(finding.map(nameOf).sort()).toEqual([`Deployment/${name}`, `PodDisruptionBudget/${name}`, `Service/${name}`]);
    }
  });

  it('opens the ways that its calls need, and no other: only dispatchers call dispatchers of other cells (T-27)', () => {
    const known = waysIn(one);
    expect(waysIn(two).filter(way => !known.includes(way))).toEqual([
      'api-gateway to webhook-dispatcher-b 3203',
      'portal to reversal-scheduler-b 3104',
      'portal to webhook-dispatcher-b 3103',
      'reversal-scheduler to reversal-scheduler 3104',
      'reversal-scheduler to reversal-scheduler-b 3104',
      'reversal-scheduler-b to reversal-scheduler 3104',
      'reversal-scheduler-b to reversal-scheduler-b 3104',
      'reversal-scheduler-b to webhook-dispatcher-b 3103',
      'webhook-dispatcher to webhook-dispatcher 3103',
      'webhook-dispatcher to webhook-dispatcher-b 3103',
      'webhook-dispatcher-b to auth-session 3101',
      'webhook-dispatcher-b to notification-config 3102',
      'webhook-dispatcher-b to reversal-scheduler-b 3104',
      'webhook-dispatcher-b to webhook-dispatcher 3103',
      'webhook-dispatcher-b to webhook-dispatcher-b 3103',
    ]);
  });
});

/** Without what a cell has of its own. */
function specOfFirst({ spec }: Resource): unknown {
  const own = /^(CELL_NAME|REVERSAL_SCHEDULER_URL|WEBHOOK_DISPATCHER_URL)$/;
  const text = JSON.stringify(spec ?? {}, (key, value: unknown) => {
    if (['paycode.dev/cell', 'scaleToZeroOnInvalidOffset'].includes(key)) return undefined;
    return key === 'env' ? (value as { name: string }[]).filter(({ name }) => !own.test(name)) : value;
  });
  const renamed = text.replaceAll(/-cell(?=")|-b(?=["/])|@b(?=")|,cell=\\"(b|main)\\"/g, '');
  return JSON.parse(renamed.replaceAll('/schema-owner-database-url', '/database-url'));
}

function isMeant({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Record<string, string>): boolean {
  const isIn = ({ key, values = [] }: { key: string; values?: string[] }) => values.includes(labels[key] ?? '');
  const isNamed = Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
  return isNamed && matchExpressions.every(each => isIn(each) === (each.operator === 'In'));
}

/** From pod to pod and port, where the policies of both ends let it. */
function waysIn(resources: Resource[]): string[] {
  const policies = resources.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec as Policy);
  const isOpen = (direction: 'ingress' | 'egress', [own, other]: [Resource, Resource], port: number) =>
    policies
      .filter(({ podSelector }) => isMeant(podSelector, labelsOf(own)))
      .flatMap(
        policy => (direction === 'ingress' ? policy.ingress?.map(rule => ({ ...rule, to: rule.from })) : policy.egress) ?? [],
      )
      .some(
        ({ to, ports }) =>
          ports.some(each => each.port === port) &&
          to?.some(({ podSelector }) => podSelector && isMeant(podSelector, labelsOf(other))),
      );
  const ways = deployments(resources).flatMap(from =>
    deployments(resources).flatMap(to =>
      podOf(to)
        .spec.containers[0]!.ports.map(({ containerPort }) => containerPort)
        .filter(port => isOpen('egress', [from, to], port) && isOpen('ingress', [to, from], port))
        .map(port => `${from.metadata.name} to ${to.metadata.name} ${port}`),
    ),
  );
  return ways.sort();
}
