import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { nameOf, render, renderWithBase, type Resource } from './render';
import { typeProblems } from './strict-types';

const overlays = ['sandbox', 'production', 'data-services', 'data-services-production', 'managed-services', 'evaluation'];
const components = readdirSync(join(__dirname, '../../../k8s/components'));

describe('a strict API server would accept every manifest', () => {
  it.each(overlays)('overlay %s: known kinds, known fields, right types', overlay => {
    expect(typeProblems(render(`k8s/overlays/${overlay}`))).toEqual([]);
  });

  it.each(components)('component %s renders alone on the base', component => {
    expect(typeProblems(renderWithBase(`components/${component}`))).toEqual([]);
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

  it('the check fails on an unknown field, a wrong type and an unknown kind', () => {
    const [namespace] = render('k8s/base').filter(({ kind }) => kind === 'Namespace');
    const deployment = render('k8s/base').find(({ kind }) => kind === 'Deployment')!;
    const misspelt = { ...deployment, spec: { ...(deployment.spec as object), minReadySecond: 5 } } as Resource;
    const wrong = { ...deployment, spec: { ...(deployment.spec as object), replicas: 'two' } } as Resource;
    const topic = render('k8s/overlays/data-services').find(({ kind }) => kind === 'KafkaTopic')!;
    const extra = { ...topic, spec: { ...(topic.spec as object), replication: 3 } } as Resource;
    expect(typeProblems([namespace!, misspelt]).join()).toContain('minReadySecond');
    expect(typeProblems([wrong]).join()).toContain("'string' is not assignable to type 'number'");
    expect(typeProblems([extra]).join()).toContain('"additionalProperty":"replication"');
    expect(typeProblems([{ ...topic, kind: 'KafkaTopics' }]).join()).toContain('nobody knows');
  });
});

function unhashedName(resource: Resource): string {
  const name = nameOf(resource);
  return resource.kind === 'ConfigMap' ? name.replace(/-[a-z0-9]{10}$/, '') : name;
}
